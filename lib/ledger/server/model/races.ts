import { expect } from '@jest/globals'
import type { Nano } from '@/lib/money/nano'
import type { SettleResult } from '../../domain/holds'
import { USAGE } from '../../testing'
import { holdIdOf, serverOf } from './real-ledger'
import { type Step, step } from './step'
import { mergeQuestion, moneyMove, pick, realHold } from './steps'

const RACER_COUNT = 6

/** Parallel holds of one size: as many succeed as the credit, or the key's limit, affords. */
export const raceHolds = (account: number, viaKey: boolean, amountNano: Nano): Step =>
  step(`race of holds on ${account} ${viaKey ? 'by key' : ''} ${amountNano}`, async (model, real) => {
    const input = {
      account,
      viaKey,
      amountNano,
      minimumNano: amountNano,
      leastNano: amountNano,
      idempotencyKey: null,
      request: 0,
    }
    const results = await Promise.all(
      range(racer => serverOf(real, racer).hold(realHold(real, model, input))),
    )
    const expected = range(() => model.place(input).outcome)
    expect(results.map(result => result.outcome).sort()).toEqual(expected.sort())
    real.holdIds.push(...results.flatMap(result => (result.outcome === 'held' ? [result.holdId] : [])))
  })

/**
 * Settle, settle and release at once: one of them ends the hold, or tells what a swept one did cost, and the others read
 * its charge.
 */
export const raceFinishers = (choice: number, costsNano: readonly [Nano, Nano]): Step =>
  step(
    `race of finishers on ${choice} ${costsNano}`,
    async (model, real) => {
      const number = pick(model, choice)
      const holdId = holdIdOf(real, number)
      const { state, isSwept, chargedNano: sweptNano, lossNano } = model.hold(number)
      const isMore = costsNano.some(costNano => costNano > sweptNano + lossNano)
      const finishers = [
        { state: 'settled', costNano: costsNano[0] },
        { state: 'settled', costNano: costsNano[1] },
        { state: 'released', costNano: 0n },
      ] as const
      const results = await Promise.all(
        finishers.map(({ state, costNano }, racer) =>
          state === 'settled'
            ? serverOf(real, racer).settle({ holdId, costNano, usage: USAGE })
            : serverOf(real, racer).release({ holdId, usage: USAGE }),
        ),
      )
      const winners = results.flatMap((result, racer) => (hasBooked(result) ? [racer] : []))
      expect(winners).toHaveLength(state === 'open' || (isSwept && isMore) ? 1 : 0)
      for (const racer of winners) {
        const finisher = finishers[racer]
        if (finisher) model.resolve(number, finisher.state, finisher.costNano)
      }
      const { chargedNano } = model.hold(number)
      expect(results.map(charge)).toEqual(results.map(() => chargedNano))
    },
    model => model.holds.length > 0,
  )

/** One payment delivered many times at once. */
export const raceCredits = (account: number, amountNano: Nano, reference: number): Step =>
  step(`race of credits to ${account} ${amountNano} #${reference}`, async (model, real) => {
    const results = await Promise.all(
      range(racer => serverOf(real, racer).credit(moneyMove(real, account, amountNano, reference))),
    )
    const credited = results.filter(result => result.outcome === 'credited')
    expect(credited).toHaveLength(model.credit(account, amountNano, reference) ? 1 : 0)
  })

/** One merge asked for many times at once: it moves once. */
export const raceMerges = (fromAccount: number, intoAccount: number, reference: number): Step =>
  step(`race of merges of ${fromAccount} into ${intoAccount} #${reference}`, async (model, real) => {
    const question = mergeQuestion(real, fromAccount, intoAccount, reference)
    const results = await Promise.all(range(racer => serverOf(real, racer).merge(question)))
    const expected = range(() => model.merge(fromAccount, intoAccount, reference)?.outcome ?? 'same_account')
    expect(results.map(result => result.outcome).sort()).toEqual(expected.sort())
  })

function hasBooked(result: SettleResult): boolean {
  return result.outcome !== 'unknown_hold' && result.lossNano !== undefined
}

function charge(result: SettleResult): Nano | null {
  return result.outcome === 'unknown_hold' ? null : result.chargedNano
}

function range<Value>(make: (index: number) => Value): Value[] {
  return Array.from({ length: RACER_COUNT }, (_, index) => make(index))
}
