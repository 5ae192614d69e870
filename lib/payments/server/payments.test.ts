import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import { checkLedger } from '@/lib/ledger/server/check-ledger'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { maxNano, minNano, NANO_PER_USD } from '@/lib/money/nano'
import { createPaymentsForTest, scriptedGateway } from './testing'

const RUN_COUNT = 15
const TIMEOUT_MS = 120_000

type Step =
  | { kind: 'pay'; cents: bigint }
  | { kind: 'refund'; cents: bigint }
  | { kind: 'expire' }
  | { kind: 'deliver'; times: number }
  | { kind: 'crash' }

const cents = fc.bigInt({ min: 1n, max: 300n })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('pay' as const), cents }),
  fc.record({ kind: fc.constant('refund' as const), cents }),
  fc.record({ kind: fc.constant('expire' as const) }),
  fc.record({ kind: fc.constant('deliver' as const), times: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constant('crash' as const) }),
)

describeOnPostgres('a random hour of payments', getDatabase => {
  test(
    'ends with the credit of all payments less all refunds, and the books balance',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async steps => {
          const hour = await openHour(getDatabase())
          for (const each of steps) await hour.take(each)
          // The first call hits a pending crash, if any, and the second one repairs it.
          await hour.take({ kind: 'deliver', times: 1 })
          await hour.payments.recheckInvoice(hour.invoice)
          expect(await hour.balanceNano()).toBe(hour.expectedNano())
          expect((await checkLedger({ database: getDatabase() })).differences).toEqual([])
        }),
        { numRuns: RUN_COUNT },
      )
    },
    TIMEOUT_MS,
  )
})

async function openHour(database: Parameters<typeof checkLedger>[0]['database']) {
  const gateway = scriptedGateway()
  let transfersUntilCrash = Number.POSITIVE_INFINITY
  const real = createEmbeddedLedger({ database })
  const dying = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = await work()
    transfersUntilCrash -= 1
    if (transfersUntilCrash > 0) return result
    transfersUntilCrash = Number.POSITIVE_INFINITY
    throw new Error('the process died')
  }
  const ledger: Ledger = {
    ...real,
    credit: input => dying(() => real.credit(input)),
    reverse: input => dying(() => real.reverse(input)),
  }
  const shop = await createPaymentsForTest({ database, gateways: [gateway], ledger })
  const invoice = await shop.createInvoice('1')
  let paidNano = 0n
  let refundedNano = 0n
  const deliver = () => shop.deliver(invoice.gatewayInvoiceId).catch(() => {})
  return {
    ...shop,
    invoice,
    expectedNano: () => maxNano(0n, paidNano - refundedNano),
    async take(each: Step): Promise<void> {
      if (each.kind === 'pay') paidNano += (each.cents * NANO_PER_USD) / 100n
      if (each.kind === 'refund')
        refundedNano = minNano(paidNano, refundedNano + (each.cents * NANO_PER_USD) / 100n)
      if (each.kind === 'crash') transfersUntilCrash = 1
      gateway.tell(invoice.gatewayInvoiceId, {
        paidNano,
        refundedNano,
        ...(each.kind === 'expire' ? { state: 'Expired' } : {}),
      })
      if (each.kind === 'deliver') await Promise.all(Array.from({ length: each.times }, deliver))
    },
  }
}
