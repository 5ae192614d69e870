import 'server-only'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { LEDGER_ERROR_CODES, LedgerError } from '../domain/ledger-error'
import type { VerbWire } from '../domain/ledger-wire'

/** A host that restarts or a connection that breaks: once more, a little later. */
const REPEAT_DELAY_MS = 250

/** A page of usage at its largest; more is not what was asked for. */
const RESPONSE_BYTES_MAX = 16 * 1024 * 1024

const refusalSchema = z.object({
  error: z.object({ code: z.enum(LEDGER_ERROR_CODES) }),
})

export interface Host {
  /** Such as `https://pay.example`. */
  baseUrl: string
  token: string
  timeoutMs: number
}

export interface Verb<Input, Output> {
  name: string
  wire: VerbWire<Input, Output>
  /** Asked again where the connection broke: does no more the second time than the first. */
  isRepeatable: boolean
}

/**
 * Asks the host for one verb. Its answer is believed only in the agreed shape. Redirects are refused: they
 * would carry the token elsewhere.
 *
 * @throws LedgerError unavailable | unknown_account | too_many_keys | invalid_input
 */
export async function askHost<Input, Output>(
  host: Host,
  verb: Verb<Input, Output>,
  input: Input,
): Promise<Output> {
  const { name, wire } = verb
  const question = z.safeEncode(wire.input, input)
  if (!question.success) throw new LedgerError('invalid_input', 'The ledger was asked wrongly.')
  const { status, body } = await post(host, name, question.data).catch(error => {
    if (verb.isRepeatable && !isTimeout(error)) return postLater(host, name, question.data)
    throw error
  })
  if (status !== 200) throw refusal(status, body)
  const answer = z.safeDecode(wire.output, body as z.input<typeof wire.output>)
  if (answer.success) return answer.data
  throw new LedgerError('unavailable', `The payments host answered ${name} in an unknown shape.`)
}

async function postLater(host: Host, verb: string, question: unknown) {
  await delay(REPEAT_DELAY_MS)
  return post(host, verb, question)
}

function isTimeout(error: unknown): boolean {
  const cause = error instanceof LedgerError ? error.cause : null
  return typeof cause === 'object' && cause !== null && 'name' in cause && cause.name === 'TimeoutError'
}

async function post(host: Host, verb: string, question: unknown): Promise<{ status: number; body: unknown }> {
  try {
    const response = await fetch(`${host.baseUrl}/api/ledger/${verb}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${host.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(question),
      redirect: 'error',
      cache: 'no-store',
      signal: AbortSignal.timeout(host.timeoutMs),
    })
    return { status: response.status, body: JSON.parse(await readText(response)) }
  } catch (cause) {
    throw new LedgerError('unavailable', 'The payments host gave no usable answer.', { cause })
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let byteCount = 0
  for await (const chunk of response.body ?? []) {
    byteCount += chunk.byteLength
    if (byteCount > RESPONSE_BYTES_MAX) throw new RangeError('The answer is too long.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function refusal(status: number, body: unknown): LedgerError {
  const parsed = refusalSchema.safeParse(body)
  const code = parsed.success ? parsed.data.error.code : 'unavailable'
  return new LedgerError(code, `The payments host refused with status ${status}.`)
}
