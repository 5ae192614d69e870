import 'server-only'
import type { HoldInput, HoldResult, Ledger, SettleInput, SettleResult } from '../domain/ledger'
import { LedgerError } from '../domain/ledger-error'
import { LEDGER_WIRE, type VerbWire } from '../domain/ledger-wire'
import { askHost, type Host } from './ask-host'

/** An answer waits for its hold: longer than this a host is as good as down. */
const TIMEOUT_MS = 10_000

/**
 * The ledger that another deployment keeps (`PAYMENTS_HOST`). Every verb but `hold` may be asked again; a
 * hold whose answer was lost is swept by the host.
 */
export function createHostLedger(input: { baseUrl: string; token: string; timeoutMs?: number }): Ledger {
  const host: Host = { ...input, timeoutMs: input.timeoutMs ?? TIMEOUT_MS }
  const ask = <Input, Output>(name: keyof Ledger, wire: VerbWire<Input, Output>, question: Input) =>
    askHost(host, { name, wire, isRepeatable: name !== 'hold' }, question)
  return {
    createAccount: question => ask('createAccount', LEDGER_WIRE.createAccount, question),
    getBalance: question => ask('getBalance', LEDGER_WIRE.getBalance, question),
    hold: async question => checkHeld(question, await ask('hold', LEDGER_WIRE.hold, question)),
    renew: question => ask('renew', LEDGER_WIRE.renew, question),
    settle: async question => checkCharged(question, await ask('settle', LEDGER_WIRE.settle, question)),
    release: async question =>
      checkCharged({ ...question, costNano: 0n }, await ask('release', LEDGER_WIRE.release, question)),
    credit: question => ask('credit', LEDGER_WIRE.credit, question),
    reverse: question => ask('reverse', LEDGER_WIRE.reverse, question),
    merge: question => ask('merge', LEDGER_WIRE.merge, question),
    sweep: question => ask('sweep', LEDGER_WIRE.sweep, question),
    createKey: question => ask('createKey', LEDGER_WIRE.createKey, question),
    listKeys: question => ask('listKeys', LEDGER_WIRE.listKeys, question),
    getKey: question => ask('getKey', LEDGER_WIRE.getKey, question),
    updateKey: question => ask('updateKey', LEDGER_WIRE.updateKey, question),
    revokeKey: question => ask('revokeKey', LEDGER_WIRE.revokeKey, question),
    listUsage: question => ask('listUsage', LEDGER_WIRE.listUsage, question),
    getUsage: question => ask('getUsage', LEDGER_WIRE.getUsage, question),
  }
}

/** A host that holds more than was asked for, or less than would do, is not believed. */
function checkHeld(asked: HoldInput, result: HoldResult): HoldResult {
  if (result.outcome !== 'held') return result
  const enough = result.amountNano >= asked.leastNano || result.amountNano === asked.amountNano
  if (enough && result.amountNano <= asked.amountNano) return result
  throw new LedgerError('unavailable', 'The payments host held another amount than was asked for.')
}

function checkCharged(
  { costNano, absorbedNano = 0n }: Pick<SettleInput, 'costNano' | 'absorbedNano'>,
  result: SettleResult,
): SettleResult {
  if (result.outcome !== 'resolved') return result
  if (result.chargedNano + result.lossNano === costNano + absorbedNano) return result
  throw new LedgerError('unavailable', 'The payments host charged another amount than the cost.')
}
