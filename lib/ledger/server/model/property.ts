import fc from 'fast-check'
import type { Database } from '@/lib/db/database'
import { minNano } from '@/lib/money/nano'
import { raceCredits, raceFinishers, raceHolds, raceMerges } from './races'
import { createRealLedger } from './real-ledger'
import { ReferenceLedger } from './reference-ledger'
import { crash, credit, merge, place, release, renew, replay, reprice, reverse, settle, sweep } from './steps'

const STEP_COUNT_MAX = 30
/** A fifth of a cent: twenty-five of them are what an account may risk on a day. */
const UNIT_NANO = 2_000_000n
/** Small, so that two accounts run dry and a key reaches its limit within a few steps. */
const KEY_LIMITS_NANO = [25n * UNIT_NANO, 150n * UNIT_NANO]

const account = fc.nat({ max: KEY_LIMITS_NANO.length - 1 })
const units = (min: bigint, max: bigint) => fc.bigInt({ min, max }).map(count => count * UNIT_NANO)
const amount = units(0n, 60n)
const transferAmount = units(1n, 200n)
const reference = fc.nat({ max: 7 })
const holdChoice = fc.nat({ max: 50 })

const placeInput = fc
  .record({
    account,
    viaKey: fc.boolean(),
    amountNano: amount,
    minimumNano: amount,
    leastNano: amount,
    idempotencyKey: fc.option(fc.nat({ max: 3 })),
    request: fc.nat({ max: 1 }),
  })
  .map(input => ({ ...input, minimumNano: minNano(input.minimumNano, input.amountNano) }))
  .map(input => ({ ...input, leastNano: minNano(input.leastNano, input.minimumNano) }))

/** Wants much and takes little, so that what an account may risk on a day is used up within a few steps. */
const riskyInput = placeInput.map(input => ({ ...input, leastNano: 1n }))

const steps = fc.commands(
  [
    placeInput.map(place),
    placeInput.map(place),
    riskyInput.map(place),
    riskyInput.map(place),
    holdChoice.map(replay),
    fc.tuple(holdChoice, fc.bigInt({ min: 0n, max: 100n })).map(arguments_ => settle(...arguments_)),
    holdChoice.map(release),
    holdChoice.map(crash),
    fc.constant(null).map(sweep),
    holdChoice.map(renew),
    fc.tuple(account, transferAmount, reference).map(arguments_ => credit(...arguments_)),
    fc.tuple(account, units(1n, 20n), reference).map(arguments_ => credit(...arguments_)),
    fc.tuple(account, transferAmount, reference).map(arguments_ => reverse(...arguments_)),
    fc.tuple(account, account, reference).map(arguments_ => merge(...arguments_)),
    units(0n, 4n).map(reprice),
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
    const model = new ReferenceLedger(KEY_LIMITS_NANO, UNIT_NANO)
    await fc.asyncModelRun(() => ({ model, real }), commands)
  })
}
