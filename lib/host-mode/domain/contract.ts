import type { z } from 'zod'

/** A verb: the schemas of its input and output, both as JSON and as values. */
export interface Verb<Input extends z.ZodType, Output extends z.ZodType> {
  input: Input
  output: Output
  /** Not retried after a broken connection, since a second call would do more than the first, or return less. */
  isSentOnce?: boolean
  /** Whether a well-formed answer can be true for this input; a host may be wrong, or lie. */
  isBelievable?(asked: z.output<Input>, answered: z.output<Output>): boolean
}

/** Infers the types of `isBelievable` from the schemas. */
export function verb<Input extends z.ZodType, Output extends z.ZodType>(
  written: Verb<Input, Output>,
): Verb<Input, Output> {
  return written
}

export type VerbTable = Readonly<Record<string, Verb<z.ZodType, z.ZodType>>>

/** The functions of a table of verbs: implemented by the ledger itself, and by the client of a host. */
export type Verbs<Table> = {
  [Name in keyof Table]: Table[Name] extends Verb<infer Input, infer Output>
    ? (input: z.output<Input>) => Promise<z.output<Output>>
    : never
}

/** The codes of a host's refusals, with their statuses. */
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

/** Verbs that another deployment implements: `POST /api/<folder>/<verb>`. */
export interface HostContract<Table extends VerbTable> {
  folder: string
  /** A suffix to each verb's name in the address, for tables that share a folder. */
  suffix?: string
  verbs: Table
  timeoutMs: number
  requestBytesMax: number
  responseBytesMax: number
  /** Translates a failure to the code that the client is sent, and nothing else. */
  toRefusal(error: unknown): HostRefusal
  /** Translates that code to the client's error; also used, with `unavailable`, if no usable answer comes. */
  toError(refusal: HostRefusal, message: string, options: { cause?: unknown }): Error
}
