import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isAllowed, isFairAmount, type WalletRules } from './wallet-rules'
import {
  advance,
  NO_TOP_UPS,
  nextStep,
  parseWalletTopUps,
  type ServerReport,
  spentCents,
  type WalletEvent,
  type WalletReport,
  type WalletTopUps,
} from './wallet-top-ups'

const RULES: WalletRules = {
  belowCents: 50,
  addCents: 100,
  dayCents: 250,
  asksFirst: false,
  usdPerBitcoin: 100_000,
  creditSegment: '0b0e7c9e',
}
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const LIFE_MS = 15 * MINUTE_MS

interface Asked {
  readonly invoiceId: string
  readonly atMs: number
  askedCount: number
  /** What really happened, whether or not anyone knows it yet. */
  truth: 'paid' | 'unpaid' | 'on its way'
  /** The wallet reported at once that it did not pay. */
  isRefused: boolean
  isCredited: boolean
}

/**
 * A browser with its storage, a wallet and a server. As on the page, every step is written before it is done; a tab may
 * die at any of these points, and does nothing afterwards.
 */
class World {
  text = JSON.stringify(advance(NO_TOP_UPS, { type: 'allowed', rules: RULES }, 0))
  nowMs = 1_000_000_000_000
  readonly asked = new Map<string, Asked>()
  orderCount = 0
  /** Causes that have not led to a payment yet. */
  causeCount = 1
  /** The browser has another credit now, for which the server knows none of the invoices. */
  isForeign = false

  state(): WalletTopUps {
    return parseWalletTopUps(JSON.parse(this.text))
  }

  change(event: WalletEvent): WalletTopUps {
    const before = this.state()
    const after = advance(before, event, this.nowMs)
    if (after.isArmed && !before.isArmed) this.causeCount = 1
    this.text = JSON.stringify(after)
    return after
  }

  /** The tab that may act takes one step, and dies after `pointCount` points. */
  act(
    pointCount: number,
    answer: 'paid' | 'refused' | 'lost, paid' | 'lost, unpaid' | 'lost, on its way',
  ): void {
    let left = pointCount
    const goes = () => left-- <= 0
    if (goes()) return
    switch (nextStep(this.state(), this.nowMs)) {
      case 'order': {
        const warned = this.state().current
        if (warned?.stage !== 'warned') throw new Error('Nothing was warned of.')
        this.orderCount += 1
        const invoiceId = `invoice ${this.orderCount}`
        if (goes()) return
        const expiresAtMs = this.nowMs + LIFE_MS
        const invoice = { invoiceId, paymentHash: invoiceId, lightningInvoice: 'lnbc', expiresAtMs }
        this.change({ type: 'ordered', warned, invoice })
        return
      }
      case 'pay': {
        const { current } = this.change({ type: 'asking' })
        if (current?.stage !== 'paying' || goes()) return
        this.pay(current.invoiceId, answer)
        if (goes()) return
        if (answer === 'refused') this.change({ type: 'failed', problem: 'insufficient_balance' })
        else this.change({ type: 'answered', outcome: answer === 'paid' ? 'paid' : 'unknown' })
        return
      }
      case 'warn':
        this.change({ type: 'delayed' })
        return
      case 'expire':
        this.change({ type: 'failed', problem: 'expired' })
        return
      case 'mark_unknown':
        this.change({ type: 'answered', outcome: 'unknown' })
        return
      case 'check': {
        const { current } = this.state()
        const invoiceId = current && 'invoiceId' in current ? current.invoiceId : ''
        if (goes()) return
        this.change({ type: 'checked', ...this.ask(invoiceId) })
        return
      }
      default:
    }
  }

  pay(invoiceId: string, answer: Parameters<World['act']>[1]): void {
    if (this.causeCount !== 1) throw new Error('paid without a cause, or twice for one')
    this.causeCount = 0
    if (this.asked.has(invoiceId)) throw new Error('one invoice was paid twice')
    const truth = answer === 'lost, on its way' ? 'on its way' : answer.endsWith('unpaid') ? 'unpaid' : 'paid'
    const isRefused = answer === 'refused'
    this.asked.set(invoiceId, {
      invoiceId,
      atMs: this.nowMs,
      askedCount: 1,
      truth: isRefused ? 'unpaid' : truth,
      isRefused,
      isCredited: false,
    })
  }

  ask(invoiceId: string): { server: ServerReport; wallet: WalletReport } {
    const payment = this.asked.get(invoiceId)
    // The tab died before it asked: the wallet knows of no payment, and never will.
    const truth = payment?.truth ?? 'unpaid'
    const wallet = truth === 'paid' ? 'paid' : truth === 'unpaid' ? 'unpaid' : 'silent'
    if (this.isForeign) return { server: 'foreign', wallet }
    if (truth === 'paid' && payment?.isCredited) return { server: 'credited', wallet: 'paid' }
    const current = this.state().current
    const isOver = current !== null && 'expiresAtMs' in current && this.nowMs > current.expiresAtMs
    return { server: isOver && truth !== 'on its way' ? 'over' : 'open', wallet }
  }

  pass(ms: number): void {
    this.nowMs += ms
    for (const payment of this.asked.values()) if (payment.truth === 'paid') payment.isCredited = true
  }

  arrive(isPaid: boolean): void {
    for (const payment of this.asked.values())
      if (payment.truth === 'on its way') payment.truth = isPaid ? 'paid' : 'unpaid'
  }

  /** Everything that was paid, or may still be, in the last 24 hours. */
  atStakeCents(): number {
    const recent = [...this.asked.values()].filter(({ atMs }) => atMs > this.nowMs - DAY_MS)
    return recent.filter(({ truth }) => truth !== 'unpaid').length * RULES.addCents
  }

  check(): void {
    if (this.atStakeCents() > RULES.dayCents) throw new Error('more than the day allows')
    if (spentCents(this.state(), this.nowMs) < this.atStakeCents()) throw new Error('a payment was forgotten')
  }
}

const balance = fc.record({ do: fc.constant('balance' as const), usd: fc.constantFrom(0, 0.49, 0.5, 3) })
const act = fc.record({
  do: fc.constant('act' as const),
  points: fc.constantFrom(0, 1, 2, 4, 4, 4, 4, 4),
  answer: fc.constantFrom(
    'paid' as const,
    'refused' as const,
    'lost, paid' as const,
    'lost, unpaid' as const,
    'lost, on its way' as const,
  ),
})
const command = fc.oneof(
  { weight: 3, arbitrary: balance },
  { weight: 5, arbitrary: act },
  fc.record({
    do: fc.constant('pass' as const),
    ms: fc.constantFrom(1_000, 11_000, 11_000, MINUTE_MS, LIFE_MS, DAY_MS / 3),
  }),
  fc.record({ do: fc.constant('arrive' as const), isPaid: fc.boolean() }),
  fc.record({ do: fc.constant('exchange' as const) }),
  fc.record({
    do: fc.constant('say' as const),
    event: fc.constantFrom<WalletEvent>(
      { type: 'confirmed' },
      { type: 'allowed', rules: RULES },
      { type: 'declined' },
      { type: 'forgotten' },
      { type: 'answered', outcome: 'unknown' },
      { type: 'checked', server: 'silent', wallet: 'silent' },
      { type: 'checked', server: 'open', wallet: 'silent' },
    ),
  }),
)

function run(
  world: World,
  commands: readonly (typeof command extends fc.Arbitrary<infer One> ? One : never)[],
) {
  for (const each of commands) {
    if (each.do === 'balance') world.change({ type: 'balance', usd: each.usd })
    if (each.do === 'act') world.act(each.points, each.answer)
    if (each.do === 'pass') world.pass(each.ms)
    if (each.do === 'arrive') world.arrive(each.isPaid)
    if (each.do === 'exchange') world.isForeign = !world.isForeign
    if (each.do === 'say') world.change(each.event)
    world.check()
  }
}

describe('top-ups from the wallet', () => {
  test('each cause is paid at most once and the daily limit is never exceeded, in any order of events', () => {
    let paidCount = 0
    fc.assert(
      fc.property(fc.array(command, { minLength: 60, maxLength: 150, size: 'max' }), commands => {
        const world = new World()
        run(world, commands)
        paidCount += world.asked.size
      }),
      { numRuns: 1_000 },
    )
    // The property would also hold if nothing were ever paid.
    expect(paidCount).toBeGreaterThan(300)
  })

  const applied = (state: WalletTopUps, ...events: readonly WalletEvent[]) =>
    events.reduce((before, event) => advance(before, event, 0), state)
  const invoice = { invoiceId: 'i', paymentHash: 'h', lightningInvoice: 'l', expiresAtMs: LIFE_MS }
  const LOW = { type: 'balance', usd: 0.49 } as const
  const ORDERED: WalletEvent = { type: 'ordered', warned: { cents: 100, untilMs: 0 }, invoice }
  const PAYING: WalletEvent[] = [LOW, { type: 'confirmed' }, ORDERED, { type: 'asking' }]
  const allowed = applied(NO_TOP_UPS, { type: 'allowed', rules: RULES })

  test('an unknown outcome lasts until the server credits the payment, or server and wallet report it unpaid', () => {
    const unknown = applied(allowed, ...PAYING, { type: 'answered', outcome: 'unknown' })
    for (const [server, wallet] of [
      ['open', 'unpaid'],
      ['over', 'silent'],
      ['silent', 'unpaid'],
    ] as const)
      expect(applied(unknown, { type: 'checked', server, wallet }).current?.stage).toBe('unknown')
    expect(applied(unknown, { type: 'checked', server: 'over', wallet: 'unpaid' }).current).toBeNull()
    const credited = applied(unknown, { type: 'checked', server: 'credited', wallet: 'unpaid' })
    expect(credited).toMatchObject({ current: null, past: [{ cents: 100, atMs: 0 }], problem: null })
  })

  test('a payment for a credit that is no longer in use may come for a minute after its invoice', () => {
    const unknown = applied(allowed, ...PAYING, { type: 'answered', outcome: 'unknown' })
    const checked = { type: 'checked', server: 'foreign', wallet: 'unpaid' } as const
    expect(advance(unknown, checked, LIFE_MS + MINUTE_MS)).toBe(unknown)
    expect(advance(unknown, checked, LIFE_MS + MINUTE_MS + 1).current).toBeNull()
  })

  test('the wallet’s word alone does not count a payment as credited', () => {
    const paid = applied(allowed, ...PAYING, { type: 'answered', outcome: 'paid' })
    expect(applied(paid, { type: 'checked', server: 'over', wallet: 'paid' }).current?.stage).toBe('paid')
    expect(applied(paid, { type: 'checked', server: 'over', wallet: 'unpaid' }).current?.stage).toBe('paid')
  })

  test.each(['unknown', 'paid'] as const)(
    'a payment whose outcome is %s can be let go of, and counts toward the day all the same',
    outcome => {
      const paying = applied(allowed, ...PAYING)
      expect(applied(paying, { type: 'forgotten' })).toBe(paying)
      const forgotten = applied(paying, { type: 'answered', outcome }, { type: 'forgotten' })
      expect(forgotten).toMatchObject({ current: null, past: [{ cents: 100, atMs: 0 }], problem: null })
    },
  )

  test('they switch off after three failures, and at once after a permanent one', () => {
    const failure = (problem: 'payment_failed' | 'unauthorized'): WalletEvent[] => [
      { type: 'balance', usd: 3 },
      ...PAYING,
      { type: 'failed', problem },
    ]
    const twice = applied(allowed, ...failure('payment_failed'), ...failure('payment_failed'))
    expect(twice.isOff).toBe(false)
    const thrice = applied(twice, ...failure('payment_failed'))
    expect(thrice.isOff).toBe(true)
    expect(applied(thrice, { type: 'balance', usd: 3 }, LOW).current).toBeNull()
    expect(applied(allowed, ...failure('unauthorized')).isOff).toBe(true)
    expect(applied(thrice, { type: 'allowed', rules: RULES }, LOW).current?.stage).toBe('warned')
  })

  test('a sufficient balance ends the warning, and a declined top-up is not paid', () => {
    expect(applied(allowed, LOW, { type: 'balance', usd: 0.5 }).current).toBeNull()
    const invoiced = applied(allowed, LOW, { type: 'confirmed' }, ORDERED)
    expect(applied(invoiced, { type: 'declined' }).current).toBeNull()
    expect(applied(invoiced, { type: 'asking' }, { type: 'declined' }).current?.stage).toBe('paying')
    const refused = applied(allowed, LOW, { type: 'declined' })
    expect(applied(refused, LOW).current).toBeNull()
    expect(applied(refused, { type: 'balance', usd: 0.5 }, LOW).current?.stage).toBe('warned')
  })

  test('an invoice ordered for an earlier warning is not paid', () => {
    const lowered: WalletEvent = { type: 'allowed', rules: { ...RULES, addCents: 50 } }
    for (const meanwhile of [
      [lowered, LOW],
      [{ type: 'allowed', rules: RULES }, LOW],
    ] as WalletEvent[][]) {
      const warned = applied(allowed, LOW, { type: 'confirmed' }, ...meanwhile)
      expect(applied(warned, ORDERED)).toBe(warned)
    }
  })

  test('a warning from before all tabs were closed is repeated', () => {
    const warned = applied(allowed, LOW)
    expect(nextStep(warned, 10_000)).toBe('order')
    expect(nextStep(warned, LIFE_MS)).toBe('warn')
    expect(nextStep(advance(warned, { type: 'delayed' }, LIFE_MS), LIFE_MS)).toBe('wait')
  })

  test('an invoice is paid up to a minute before it expires, since a late payment gets another rate', () => {
    const invoiced = applied(allowed, LOW, { type: 'confirmed' }, ORDERED)
    expect(nextStep(invoiced, LIFE_MS - MINUTE_MS - 1)).toBe('pay')
    expect(nextStep(invoiced, LIFE_MS - MINUTE_MS)).toBe('expire')
  })

  test('no payment is made without confirmation if each one must be confirmed', () => {
    const asking = applied(NO_TOP_UPS, { type: 'allowed', rules: { ...RULES, asksFirst: true } }, LOW)
    expect(nextStep(asking, DAY_MS)).toBe('wait')
    expect(nextStep(applied(asking, { type: 'confirmed' }), 0)).toBe('order')
  })

  test('damaged storage turns them off, but keeps every payment that can be read', () => {
    const paid = applied(allowed, ...PAYING, { type: 'answered', outcome: 'unknown' })
    expect(parseWalletTopUps(JSON.parse(JSON.stringify(paid)))).toEqual(paid)
    expect(parseWalletTopUps({ ...paid, past: 'none' })).toMatchObject({ rules: null, current: paid.current })
    expect(parseWalletTopUps({ ...paid, current: { stage: 'later' } }).rules).toBeNull()
    fc.assert(
      fc.property(fc.anything(), stored => {
        const { rules, current } = parseWalletTopUps(stored)
        expect(rules).toBeNull()
        expect(current).toBeNull()
      }),
    )
  })
})

test.each([
  [100_000n, true],
  [1_000_000n, true],
  [1_030_000n, true],
  [1_040_000n, false],
  [2_000_000n, false],
  [0n, false],
])('an invoice over %d millisatoshis for a dollar is fair: %s', (millisatoshis, isFair) => {
  expect(isFairAmount(millisatoshis, 100, 100_000)).toBe(isFair)
})

test.each([
  [50, 100, 500, true],
  [100, 100, 100, true],
  [101, 100, 500, false],
  [50, 100, 99, false],
  [1, 1, 101, false],
  [0, 100, 500, false],
  [0.5, 100, 500, false],
])('below %d, add %d, at most %d a day is allowed: %s', (belowCents, addCents, dayCents, isIt) => {
  expect(isAllowed({ belowCents, addCents, dayCents })).toBe(isIt)
})
