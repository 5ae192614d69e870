import { expect } from '@jest/globals'
import type { Nano } from '@/lib/money/nano'
import type { CreditInput, MergeInput } from '../../domain/credits'
import { EXCHANGE, hashOf, holdInput, USAGE } from '../../testing'
import { endExpired } from '../holds'
import type { ModelHold } from './model-rows'
import { accountOf, holdIdOf, keyHash, type RealLedger, runSql, serverOf } from './real-ledger'
import type { PlaceInput, ReferenceLedger } from './reference-ledger'
import { type Step, step } from './step'

/** Later than anything that a run does. */
const AFTER_ALL = new Date('2099-01-01')

const SWEEP_COUNT_MAX = 100

const anyHold = (model: Readonly<ReferenceLedger>) => model.holds.length > 0
export const pick = (model: Readonly<ReferenceLedger>, choice: number) => choice % model.holds.length

export function realHold(real: RealLedger, model: ReferenceLedger, input: PlaceInput) {
  const { credential, keyCredential } = accountOf(real, input.account)
  return holdInput(input.viaKey ? keyCredential : credential, input.amountNano, {
    minimumNano: input.minimumNano,
    leastNano: input.leastNano,
    idempotencyKeyHash: keyHash(input.idempotencyKey),
    requestHash: hashOf(`request ${input.request}`),
    exchange: { ...EXCHANGE, priceSnapshot: { token: model.priceNano.toString() } },
  })
}

async function placeAndCompare(model: ReferenceLedger, real: RealLedger, input: PlaceInput) {
  const actual = await serverOf(real, 1).hold(realHold(real, model, input))
  const expected = model.place(input)
  if (expected.outcome === 'duplicate') {
    const { hold, ...rest } = expected
    expect(actual).toMatchObject({ ...rest, holdId: holdIdOf(real, hold) })
  } else {
    expect(actual).toMatchObject(expected)
  }
  if (actual.outcome === 'held') real.holdIds.push(actual.holdId)
}

export const place = (input: PlaceInput): Step =>
  step(`hold ${describeHold(input)}`, (model, real) => placeAndCompare(model, real, input))

/** So much, or what there is. */
const hold = (account: number, amountNano: Nano): Step => {
  const amounts = { amountNano, minimumNano: 0n, leastNano: 0n }
  return place({ account, viaKey: false, ...amounts, idempotencyKey: null, request: 0 })
}

/** The client's retry of an earlier request, under its idempotency key where it had one. */
export const replay = (choice: number): Step =>
  step(
    `replay ${choice}`,
    (model, real) => {
      const { account, viaKey, amountNano, idempotencyKey, request } = model.hold(pick(model, choice))
      const amounts = { amountNano, minimumNano: amountNano, leastNano: amountNano }
      const input = { account, viaKey, ...amounts, idempotencyKey, request }
      return placeAndCompare(model, real, input)
    },
    anyHold,
  )

/** Settles at the price that the hold was placed at, whatever the price is now. */
export const settle = (choice: number, tokenCount: bigint): Step =>
  step(
    `settle ${choice} ${tokenCount}`,
    async (model, real) => {
      const number = pick(model, choice)
      const before = model.hold(number)
      const costNano = tokenCount * before.priceNano
      const holdId = holdIdOf(real, number)
      const expected = model.resolve(number, 'settled', costNano)
      const actual = await serverOf(real, 2).settle({ holdId, costNano, usage: USAGE })
      expect(actual).toMatchObject(expected ? { outcome: 'resolved', ...expected } : alreadyResolved(before))
      await compareUsage(real, holdId, before)
    },
    anyHold,
  )

/** A call fails, and costs its customer nothing; the operator what may be billed for it. */
export const release = (choice: number, absorbedNano: Nano): Step =>
  step(
    `release ${choice} ${absorbedNano}`,
    async (model, real) => {
      const number = pick(model, choice)
      const before = model.hold(number)
      const expected = model.resolve(number, 'released', 0n, absorbedNano)
      const holdId = holdIdOf(real, number)
      const actual = await serverOf(real, 3).release({ holdId, absorbedNano, usage: USAGE })
      expect(actual).toMatchObject(expected ? { outcome: 'resolved', ...expected } : alreadyResolved(before))
    },
    anyHold,
  )

/** Twice, and asks for something free: a few of those are all that an account may cost the operator on a day. */
export const failTwice = (account: number, absorbedNano: Nano): Step =>
  step(`fail twice on ${account} for ${absorbedNano}`, async (model, real) => {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await hold(account, 1n).run(model, real)
      if (anyHold(model)) await release(model.holds.length - 1, absorbedNano).run(model, real)
    }
    await hold(account, 0n).run(model, real)
  })

/** The server that placed a hold dies, and the hold's time passes. */
export const crash = (choice: number): Step =>
  step(
    `crash ${choice}`,
    async (model, real) => {
      const number = pick(model, choice)
      model.hold(number).expired = true
      await runSql(
        real.database,
        `update hold set expires_at = now() - interval '1 second' where id = '${holdIdOf(real, number)}'`,
      )
    },
    anyHold,
  )

export const sweep = (): Step =>
  step('sweep', async (model, real) => {
    const { releasedHoldIds, settledHoldIds } = await serverOf(real, 0).sweep({
      holdCountMax: SWEEP_COUNT_MAX,
    })
    const { released, settled } = model.sweep()
    expect([...releasedHoldIds].sort()).toEqual(released.map(number => holdIdOf(real, number)).sort())
    expect([...settledHoldIds].sort()).toEqual(settled.map(number => holdIdOf(real, number)).sort())
  })

/** A server tells what was delivered so far and dies, and a sweeper comes. */
export const die = (choice: number, tokenCount: bigint): Step =>
  step(
    `die ${choice} ${tokenCount}`,
    async (model, real) => {
      await renew(choice, tokenCount).run(model, real)
      await crash(choice).run(model, real)
      await sweep().run(model, real)
    },
    anyHold,
  )

/** A sweeper has seen a hold expired, and is late: meanwhile it may have been renewed or ended. */
export const sweepLate = (choice: number): Step =>
  step(
    `sweep ${choice} late`,
    async (model, real) => {
      const number = pick(model, choice)
      const ended = await endExpired(real.context, holdIdOf(real, number))
      const state = model.endExpired(number)
      expect(ended).toMatchObject(
        state
          ? { outcome: 'resolved', state }
          : { outcome: 'already_resolved', state: model.hold(number).state },
      )
    },
    anyHold,
  )

/** With what was delivered so far, or without. */
export const renew = (choice: number, tokenCount: bigint | null): Step =>
  step(
    `renew ${choice} ${tokenCount}`,
    async (model, real) => {
      const number = pick(model, choice)
      const costNano = tokenCount === null ? null : tokenCount * model.hold(number).priceNano
      const checkpoint = costNano === null ? null : { costNano, usage: USAGE }
      const holdId = holdIdOf(real, number)
      const renewed = await serverOf(real, 0).renew({ holdId, ttlSeconds: 60, checkpoint })
      expect(renewed).toEqual({ renewed: model.renew(number, costNano) })
    },
    anyHold,
  )

/** Where it is asked first, that was before anything was merged; otherwise after all of it. */
export const credit = (account: number, amountNano: Nano, reference: number, isAskedFirst = false): Step =>
  step(`credit ${account} ${amountNano} #${reference} ${isAskedFirst}`, async (model, real) => {
    const isCredited = model.credit(account, amountNano, reference, isAskedFirst)
    const outcome = isCredited ? 'credited' : 'already_credited'
    const input = moneyMove(real, account, amountNano, reference)
    const actual = await serverOf(real, 1).credit(isAskedFirst ? { ...input, askedAt: new Date(0) } : input)
    expect(actual).toEqual({ outcome, balanceNano: model.account(account).balanceNano })
  })

/** Somebody pays in a little and asks for more than it is sure to cover, twice. */
export const payLittle = (input: PlaceInput, amountNano: Nano, reference: number): Step =>
  step(`pay ${amountNano} #${reference}, hold ${describeHold(input)}, twice`, async (model, real) => {
    for (const payment of [reference, -reference]) {
      await credit(input.account, amountNano, payment).run(model, real)
      await place({ ...input, idempotencyKey: null }).run(model, real)
    }
  })

export const reverse = (account: number, amountNano: Nano, reference: number): Step =>
  step(`reverse ${account} ${amountNano} #${reference}`, async (model, real) => {
    const expected = model.reverse(account, amountNano, reference)
    const actual = await serverOf(real, 2).reverse(moneyMove(real, account, amountNano, reference))
    expect(actual).toEqual({ ...expected, balanceNano: model.account(account).balanceNano })
  })

export const merge = (fromAccount: number, intoAccount: number, reference: number): Step =>
  step(`merge ${fromAccount} into ${intoAccount} #${reference}`, async (model, real) => {
    const expected = model.merge(fromAccount, intoAccount, reference)
    const question = mergeQuestion(real, fromAccount, intoAccount, reference)
    const actual = await serverOf(real, 3).merge(question)
    const { balanceNano } = model.account(intoAccount)
    expect(actual).toEqual(expected ? { ...expected, balanceNano } : { outcome: 'same_account' })
  })

/** The money of one credit is merged into another before its refund arrives. */
export const refundMerged = (from: number, into: number, amountNano: Nano, reference: number): Step =>
  step(`pay ${amountNano} to ${from}, merge into ${into}, refund #${reference}`, async (model, real) => {
    await credit(from, amountNano, reference).run(model, real)
    await merge(from, into, reference).run(model, real)
    await reverse(from, amountNano, reference).run(model, real)
  })

/** What was merged is spent when its refund arrives, and then the credit that spent it gets a third one. */
export const refundSpent = (
  [from, into, third]: readonly [number, number, number],
  amountNano: Nano,
  reference: number,
): Step =>
  step(
    `merge ${amountNano} from ${from} into ${into}, spend, refund, add ${third} #${reference}`,
    async (model, real) => {
      await credit(from, amountNano, reference).run(model, real)
      await merge(from, into, reference).run(model, real)
      await hold(into, amountNano).run(model, real)
      await settle(model.holds.length - 1, 100n).run(model, real)
      await reverse(from, amountNano, reference).run(model, real)
      await credit(third, amountNano, -reference).run(model, real)
      await merge(third, into, -reference).run(model, real)
    },
  )

/** A payment is held when it is refunded, there or where it was merged into, and the hold is settled for a part. */
export const refundHeld = (from: number, into: number, amountNano: Nano, reference: number): Step =>
  step(`pay ${amountNano} to ${from}, hold at ${into}, refund, settle #${reference}`, async (model, real) => {
    await credit(from, amountNano, reference).run(model, real)
    await merge(from, into, reference).run(model, real)
    await hold(into, amountNano).run(model, real)
    await reverse(from, amountNano, reference).run(model, real)
    await settle(model.holds.length - 1, 1n).run(model, real)
  })

export const reprice = (priceNano: Nano): Step =>
  step(`reprice ${priceNano}`, async model => {
    model.priceNano = priceNano
  })

export function moneyMove(
  real: RealLedger,
  account: number,
  amountNano: Nano,
  reference: number,
): CreditInput {
  const { accountId } = accountOf(real, account)
  const move = { accountId, amountNano, source: 'gateway', memo: {}, askedAt: AFTER_ALL } as const
  return { ...move, reference: `reference ${reference}` }
}

export function mergeQuestion(
  real: RealLedger,
  fromAccount: number,
  intoAccount: number,
  reference: number,
): MergeInput {
  const from = accountOf(real, fromAccount).credential
  const into = accountOf(real, intoAccount).credential
  return { from, into, reference: `reference ${reference}` }
}

function alreadyResolved({ state, chargedNano }: ModelHold) {
  return { outcome: 'already_resolved', state, chargedNano }
}

async function compareUsage(real: RealLedger, holdId: string, hold: ModelHold): Promise<void> {
  const { accountId } = accountOf(real, hold.account)
  const everything = { limit: 1_000, cursor: null, from: null, to: null, modelId: null, keyId: null }
  const { records } = await serverOf(real, 0).listUsage({ accountId, ...everything })
  expect(records.find(record => record.holdId === holdId)).toMatchObject({
    heldNano: hold.amountNano,
    chargedNano: hold.chargedNano,
    priceSnapshot: { token: hold.priceNano.toString() },
  })
}

function describeHold({
  account,
  viaKey,
  amountNano,
  minimumNano,
  leastNano,
  idempotencyKey,
  request,
}: PlaceInput): string {
  const credential = viaKey ? 'key' : 'credit_id'
  return `${account} by ${credential}: ${leastNano}, ${minimumNano} to ${amountNano}, key ${idempotencyKey}, request ${request}`
}
