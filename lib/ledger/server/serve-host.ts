import 'server-only'
import { createHash, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Ledger } from '../domain/ledger'
import { LedgerError, type LedgerErrorCode } from '../domain/ledger-error'
import { LEDGER_WIRE, type VerbWire } from '../domain/ledger-wire'

/** What a verb is asked for has a dozen short fields and a price list. */
export const HOST_REQUEST_BYTES_MAX = 256 * 1024

const STATUSES: Record<LedgerErrorCode, number> = {
  unavailable: 503,
  unknown_account: 404,
  too_many_keys: 409,
  invalid_input: 400,
}

export interface HostRequest {
  /** The last segment of the path. */
  verb: string
  authorization: string | null
  /** Parsed JSON. */
  body: unknown
}

export interface HostResponse {
  status: number
  body: unknown
}

/**
 * Answers another deployment that keeps its ledger here (`POST /api/ledger/<verb>`). The token is compared
 * before anything else is looked at.
 */
export async function serveHost({
  ledger,
  token,
  request,
}: {
  ledger: Ledger
  token: string
  request: HostRequest
}): Promise<HostResponse> {
  if (!isToken(request.authorization, token))
    return { status: 401, body: { error: { code: 'unauthorized' } } }
  const ask = verbs(ledger).get(request.verb)
  if (!ask) return { status: 404, body: { error: { code: 'unknown_verb' } } }
  try {
    return { status: 200, body: await ask(request.body) }
  } catch (error) {
    const code = error instanceof LedgerError ? error.code : 'unavailable'
    return { status: STATUSES[code], body: { error: { code } } }
  }
}

/** In constant time, whatever the lengths; an empty token lets nobody in. */
function isToken(authorization: string | null, token: string): boolean {
  const given = /^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? ''
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(token)) && token !== ''
}

type Ask = (body: unknown) => Promise<unknown>

function verbs(ledger: Ledger): ReadonlyMap<string, Ask> {
  return new Map([
    verb('createAccount', LEDGER_WIRE.createAccount, ledger.createAccount),
    verb('getBalance', LEDGER_WIRE.getBalance, ledger.getBalance),
    verb('hold', LEDGER_WIRE.hold, ledger.hold),
    verb('renew', LEDGER_WIRE.renew, ledger.renew),
    verb('settle', LEDGER_WIRE.settle, ledger.settle),
    verb('release', LEDGER_WIRE.release, ledger.release),
    verb('credit', LEDGER_WIRE.credit, ledger.credit),
    verb('reverse', LEDGER_WIRE.reverse, ledger.reverse),
    verb('merge', LEDGER_WIRE.merge, ledger.merge),
    verb('sweep', LEDGER_WIRE.sweep, ledger.sweep),
    verb('createKey', LEDGER_WIRE.createKey, ledger.createKey),
    verb('listKeys', LEDGER_WIRE.listKeys, ledger.listKeys),
    verb('getKey', LEDGER_WIRE.getKey, ledger.getKey),
    verb('updateKey', LEDGER_WIRE.updateKey, ledger.updateKey),
    verb('revokeKey', LEDGER_WIRE.revokeKey, ledger.revokeKey),
    verb('listUsage', LEDGER_WIRE.listUsage, ledger.listUsage),
    verb('getUsage', LEDGER_WIRE.getUsage, ledger.getUsage),
  ])
}

function verb<Input, Output>(
  name: keyof Ledger,
  wire: VerbWire<Input, Output>,
  answer: (input: Input) => Promise<Output>,
): [string, Ask] {
  const ask: Ask = async body => {
    const question = z.safeDecode(wire.input, body as z.input<typeof wire.input>)
    if (!question.success) throw new LedgerError('invalid_input', `${name} was asked in an unknown shape.`)
    return z.encode(wire.output, await answer(question.data))
  }
  return [name, ask]
}
