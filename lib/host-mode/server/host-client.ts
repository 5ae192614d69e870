import 'server-only'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { fieldsOf } from '@/lib/http/domain/is-object'
import { fetchJson } from '@/lib/http/fetch-json'
import {
  HOST_REFUSALS,
  type HostContract,
  type HostRefusal,
  type Verb,
  type Verbs,
  type VerbTable,
} from '../domain/contract'

/** After a broken connection, or while a host restarts, a call is retried once, a little later. */
const REPEAT_DELAY_MS = 250

const refusalBody = z.object({
  error: z.object({ code: z.enum(Object.keys(HOST_REFUSALS) as HostRefusal[]) }),
})

export interface Host {
  /** Such as `https://pay.example`. */
  baseUrl: string
  token: string
  /** The contract's by default. */
  timeoutMs?: number
}

/**
 * Calls the verbs of a contract at the deployment that answers them (`PAYMENTS_HOST`). An answer is believed only if it
 * has the agreed form and fits the input; anything else, and a host that is slow or down, is the contract's error.
 */
export function createHostClient<Table extends VerbTable>(
  contract: HostContract<Table>,
  host: Host,
): Verbs<Table> {
  const functions = Object.entries(contract.verbs).map(([name, verb]) => [
    name,
    (input: unknown) => askHost({ contract, host, name, verb }, input),
  ])
  return Object.fromEntries(functions)
}

interface Question {
  contract: HostContract<VerbTable>
  host: Host
  name: string
  verb: Verb<z.ZodType, z.ZodType>
}

async function askHost(question: Question, input: unknown): Promise<unknown> {
  const { name, verb } = question
  const { toError } = question.contract
  const asked = z.safeEncode(verb.input, input)
  if (!asked.success)
    throw toError(
      'invalid_input',
      `The input of ${name} is not valid, so the payments host was not asked.`,
      {},
    )
  const { status, body, refusal } = await post(question, asked.data).catch(cause => {
    throw toError(
      'unavailable',
      `The payments host could not be reached for ${name}, or gave no usable answer.`,
      { cause },
    )
  })
  if (status !== 200) {
    const code = refusalBody.safeParse(refusal).data?.error.code ?? 'unavailable'
    throw toError(code, `The payments host refused ${name} with status ${status}.`, {})
  }
  const answer = z.safeDecode(verb.output, body)
  if (!answer.success)
    throw toError('unavailable', `The payments host answered ${name} in an unexpected format.`, {})
  if (verb.isBelievable?.(input, answer.data) === false)
    throw toError(
      'unavailable',
      `The payments host answered ${name} with something that does not fit the request.`,
      {},
    )
  return answer.data
}

async function post({ contract, host, name, verb }: Question, body: unknown) {
  const ask = () =>
    fetchJson({
      url: `${host.baseUrl}/api/${contract.folder}/${name}${contract.suffix ?? ''}`,
      method: 'POST',
      headers: { authorization: `Bearer ${host.token}` },
      body,
      timeoutMs: host.timeoutMs ?? contract.timeoutMs,
      responseBytesMax: contract.responseBytesMax,
    })
  try {
    return await ask()
  } catch (error) {
    if (verb.isSentOnce || isTimeout(error)) throw error
    await delay(REPEAT_DELAY_MS)
    return ask()
  }
}

function isTimeout(error: unknown): boolean {
  return fieldsOf(error).name === 'TimeoutError'
}
