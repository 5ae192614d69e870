import type { z } from 'zod'

/** One verb: what it is asked and answers, as JSON and as values. */
export interface Verb<Input extends z.ZodType, Output extends z.ZodType> {
  input: Input
  output: Output
  /** Not asked again where the connection broke: a second time would do more than the first, or say less. */
  isAskedOnce?: boolean
  /** Whether such an answer, right in its shape, can be one to this question; a host may be wrong, or lie. */
  isBelievable?(asked: z.output<Input>, answered: z.output<Output>): boolean
}

/** Lets `isBelievable` know its types from the schemas beside it. */
export function verb<Input extends z.ZodType, Output extends z.ZodType>(
  written: Verb<Input, Output>,
): Verb<Input, Output> {
  return written
}

export type VerbTable = Readonly<Record<string, Verb<z.ZodType, z.ZodType>>>

/** The functions of a table: what keeps the books implements them, and what asks a host for them has them. */
export type Verbs<Table> = {
  [Name in keyof Table]: Table[Name] extends Verb<infer Input, infer Output>
    ? (input: z.output<Input>) => Promise<z.output<Output>>
    : never
}

/** Why a host refuses, and with what status. */
export const HOST_REFUSALS = {
  unauthorized: 401,
  unknown_verb: 404,
  invalid_input: 400,
  unknown_account: 404,
  too_many_keys: 409,
  gateway_error: 502,
  unavailable: 503,
} as const

export type HostRefusal = keyof typeof HOST_REFUSALS

/** Verbs that another deployment answers: `POST /api/<folder>/<verb>`. */
export interface HostContract<Table extends VerbTable> {
  folder: string
  /** Follows each verb's name in the address, where two tables share a folder. */
  suffix?: string
  verbs: Table
  timeoutMs: number
  requestBytesMax: number
  responseBytesMax: number
  /** What a verb fails with here is said to the asker as a code, and nothing else of it. */
  toRefusal(error: unknown): HostRefusal
  /** What the asker's function then fails with; `unavailable` too when no usable answer comes. */
  toError(refusal: HostRefusal, message: string, options: { cause?: unknown }): Error
}
