import fc from 'fast-check'
import type { Database } from '@/lib/db/database'
import { minNano } from '@/lib/money/nano'
import { raceCredits, raceFinishers, raceHolds, raceMerges } from './races'
import { createRealLedger } from './real-ledger'
import { ReferenceLedger } from './reference-ledger'
import {
  crash,
  credit,
  die,
  failTwice,
  merge,
  payLittle,
  place,
  refundHeld,
  refundMerged,
  refundSpent,
  release,
  renew,
  replay,
  reprice,
  reverse,
  settle,
  sweep,
  sweepLate,
} from './steps'

const STEP_COUNT_MAX = 30
/** A fifth of a cent: twenty-five of them are what an account may risk on a day. */
const UNIT_NANO = 2_000_000n
/** Small, so that three accounts run dry and a key reaches its limit within a few steps. */
const KEY_LIMITS_NANO = [25n * UNIT_NANO, 150n * UNIT_NANO, 60n * UNIT_NANO]

const account = fc.nat({ max: KEY_LIMITS_NANO.length - 1 })
const units = (min: bigint, max: bigint) => fc.bigInt({ min, max }).map(count => count * UNIT_NANO)
const amount = units(0n, 60n)
const transferAmount = units(1n, 200n)
const reference = fc.nat({ max: 7 })
const tokenCount = fc.bigInt({ min: 0n, max: 100n })
const freshReference = fc.integer({ min: 8, max: 1_000_000 })
const threeAccounts = fc.tuple(account, account, account)
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
  .map(input => ({ ...input, leastNano: minNano(input.leastNano, input.minimumNano) }))

/** Wants much and takes little, so that what an account may risk on a day is used up within a few steps. */
const riskyInput = fc
  .tuple(placeInput, units(10n, 30n), fc.constantFrom(0n, 1n))
  .map(([input, minimumNano, leastNano]) => ({ ...input, amountNano: minimumNano, minimumNano, leastNano }))

const steps = fc.commands(
  [
    placeInput.map(place),
    placeInput.map(place),
    riskyInput.map(place),
    fc.tuple(riskyInput, units(1n, 9n), freshReference).map(arguments_ => payLittle(...arguments_)),
    fc.tuple(riskyInput, units(1n, 9n), freshReference).map(arguments_ => payLittle(...arguments_)),
    holdChoice.map(replay),
    fc.tuple(holdChoice, tokenCount).map(arguments_ => settle(...arguments_)),
    fc.tuple(holdChoice, fc.constant(0n)).map(arguments_ => release(...arguments_)),
    fc.tuple(account, units(1n, 250n)).map(arguments_ => failTwice(...arguments_)),
    holdChoice.map(crash),
    holdChoice.map(sweepLate),
    fc.tuple(holdChoice, tokenCount).map(arguments_ => die(...arguments_)),
    fc.constant(null).map(sweep),
    fc.tuple(holdChoice, fc.option(tokenCount)).map(arguments_ => renew(...arguments_)),
    fc.tuple(account, transferAmount, reference, fc.boolean()).map(arguments_ => credit(...arguments_)),
    fc.tuple(account, transferAmount, reference).map(arguments_ => reverse(...arguments_)),
    fc.tuple(account, account, reference).map(arguments_ => merge(...arguments_)),
    fc.tuple(account, account, transferAmount, freshReference).map(arguments_ => refundMerged(...arguments_)),
    fc.tuple(threeAccounts, transferAmount, freshReference).map(arguments_ => refundSpent(...arguments_)),
    fc.tuple(account, account, transferAmount, freshReference).map(arguments_ => refundHeld(...arguments_)),
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
