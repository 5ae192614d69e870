import 'server-only'
import { z } from 'zod'
import { parseWith } from '@/lib/http/domain/parse-with'
import { readJson } from '@/lib/http/read-body'
import { hasBearerSecret } from '@/lib/http/same-secret'
import { log } from '@/lib/observability/log'
import {
  HOST_REFUSALS,
  type HostContract,
  type HostRefusal,
  type Verbs,
  type VerbTable,
} from '../domain/contract'

/** A contract and its implementation. */
export interface Served {
  contract: HostContract<VerbTable>
  answers: Readonly<Record<string, (input: unknown) => Promise<unknown>>>
}

export function served<Table extends VerbTable>(
  contract: HostContract<Table>,
  answers: Verbs<Table>,
): Served {
  return { contract, answers }
}

/**
 * Answers another deployment whose money is kept here. The token is compared first, and nothing of a stranger's body is
 * read. A failure is sent as its code only; its reason is in this deployment's log.
 *
 * @throws ApiError for a body that is too long or not JSON
 */
export async function serveHost(input: {
  request: Request
  /** The last segment of the path. */
  verb: string
  token: string
  offers: readonly Served[]
}): Promise<Response> {
  const { request, token } = input
  if (!hasBearerSecret(request, token)) return refuse('unauthorized')
  const offered = findVerb(input.offers, input.verb)
  if (!offered) return refuse('unknown_verb')
  const { contract, verb, answer } = offered
  const question = parseWith(verb.input, await readJson(request, z.unknown(), contract.requestBytesMax))
  if (!question.success) return refuse('invalid_input')
  try {
    return reply(200, z.encode(verb.output, await answer(question.data)))
  } catch (error) {
    const code = contract.toRefusal(error)
    if (code === 'unavailable') log.error('ledger unavailable', { error })
    if (code === 'gateway_error') log.error('payment gateway failed', { error })
    return refuse(code)
  }
}

function findVerb(offers: readonly Served[], wanted: string) {
  for (const { contract, answers } of offers) {
    for (const [name, verb] of Object.entries(contract.verbs)) {
      const answer = answers[name]
      if (answer && `${name}${contract.suffix ?? ''}` === wanted) return { contract, verb, answer }
    }
  }
  return null
}

function refuse(code: HostRefusal): Response {
  return reply(HOST_REFUSALS[code], { error: { code } })
}

function reply(status: number, body: unknown): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store' } })
}
