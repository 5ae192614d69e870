import fc from 'fast-check'
import type { Database } from '@/lib/db/database'
import { minNano } from '@/lib/money/nano'
import { raceCredits, raceFinishers, raceHolds, raceMerges } from './races'
import { createRealLedger } from './real-ledger'
import { ReferenceLedger } from './reference-ledger'
import { crash, credit, merge, place, release, renew, replay, reprice, reverse, settle, sweep } from './steps'

const STEP_COUNT_MAX = 30
/** Small, so that two accounts run dry and a key reaches its limit within a few steps. */
const KEY_LIMITS_NANO = [25n, 150n]

const account = fc.nat({ max: KEY_LIMITS_NANO.length - 1 })
const amount = fc.bigInt({ min: 0n, max: 60n })
const transferAmount = fc.bigInt({ min: 1n, max: 200n })
const reference = fc.nat({ max: 7 })
const holdChoice = fc.nat({ max: 50 })

const placeInput = fc
  .record({
    account,
    viaKey: fc.boolean(),
    amountNano: amount,
    minimumNano: amount,
    idempotencyKey: fc.option(fc.nat({ max: 3 })),
    request: fc.nat({ max: 1 }),
  })
  .map(input => ({ ...input, minimumNano: minNano(input.minimumNano, input.amountNano) }))

const steps = fc.commands(
  [
    placeInput.map(place),
    placeInput.map(place),
    holdChoice.map(replay),
    fc.tuple(holdChoice, fc.bigInt({ min: 0n, max: 100n })).map(arguments_ => settle(...arguments_)),
    holdChoice.map(release),
    holdChoice.map(crash),
    fc.constant(null).map(sweep),
    holdChoice.map(renew),
    fc.tuple(account, transferAmount, reference).map(arguments_ => credit(...arguments_)),
    fc.tuple(account, transferAmount, reference).map(arguments_ => reverse(...arguments_)),
    fc.tuple(account, account, reference).map(arguments_ => merge(...arguments_)),
    fc.bigInt({ min: 0n, max: 4n }).map(reprice),
    fc.tuple(account, fc.boolean(), transferAmount).map(arguments_ => raceHolds(...arguments_)),
    fc.tuple(account, fc.boolean(), transferAmount).map(arguments_ => raceHolds(...arguments_)),
    fc.tuple(holdChoice, fc.tuple(amount, amount)).map(arguments_ => raceFinishers(...arguments_)),
    fc.tuple(account, transferAmount, reference).map(arguments_ => raceCredits(...arguments_)),
    fc.tuple(account, account, reference).map(arguments_ => raceMerges(...arguments_)),
  ],
  { maxCommands: STEP_COUNT_MAX, size: 'max' },
)

/** The core property: whatever happens, in whatever order, the ledger is what the model says. */
export function ledgerProperty(getDatabase: () => Database) {
  return fc.asyncProperty(steps, async commands => {
    const real = await createRealLedger(getDatabase(), KEY_LIMITS_NANO)
    await fc.asyncModelRun(() => ({ model: new ReferenceLedger(KEY_LIMITS_NANO), real }), commands)
  })
}
