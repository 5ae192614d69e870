import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { ZERO } from '@/lib/money/decimal'
import { formatUsd, NANO_PER_CENT } from '@/lib/money/nano'
import type { Invoice } from './domain/invoice'
import { CARD_METHOD, LIGHTNING_METHOD } from './domain/offered-methods'
import type { CreateInvoiceInput, Payments } from './domain/payments'
import type { RefillLinks } from './domain/refill-links'
import { decimal, randomHash } from './server/testing'
import type { ContractParties } from './testing'

const UNKNOWN_ID = '00000000-0000-4000-8000-00000000ffff'
const gatewayError = { name: 'GatewayError' }

/** What payments must do, wherever they are handled: run against each implementation of the interface. */
export function describePaymentsContract(
  name: string,
  getPayments: () => { payments: Payments; refillLinks: RefillLinks; parties: ContractParties },
): void {
  describe(`payments ${name}`, () => {
    let payments: Payments
    let refillLinks: RefillLinks
    let parties: ContractParties
    let accountId: string
    beforeAll(() => {
      const given = getPayments()
      payments = given.payments
      refillLinks = given.refillLinks
      parties = given.parties
    })
    beforeEach(async () => {
      accountId = await parties.createAccount()
      parties.gateway.isDown = false
      parties.gateway.usdPerBitcoin = decimal('85240.1')
    })

    const question = (changes: Partial<CreateInvoiceInput> = {}): CreateInvoiceInput => ({
      accountId,
      methodId: 'btc-lightning',
      amount: decimal('1.5'),
      currency: 'USD',
      siteUrl: 'https://visited.test',
      ...changes,
    })
    const create = async (changes: Partial<CreateInvoiceInput> = {}): Promise<Invoice> => {
      const result = await payments.createInvoice(question(changes))
      if (result.outcome !== 'created') throw new Error(`no invoice: ${result.outcome}`)
      return result.invoice
    }

    test('what cannot be invoiced is a result that says why', async () => {
      const ask = (changes: Partial<CreateInvoiceInput>) => payments.createInvoice(question(changes))
      const { minimumNano, maximumNano } = LIGHTNING_METHOD
      const outOfRange = { outcome: 'amount_out_of_range', minimumNano, maximumNano }
      expect(await ask({ methodId: 'btc' })).toEqual({ outcome: 'unknown_method' })
      expect(await ask({ methodId: 'card', currency: 'SATS' })).toEqual({
        outcome: 'unknown_currency',
        currencies: ['USD'],
      })
      expect(await ask({ amount: decimal('0.01') })).toEqual(outOfRange)
      const least = await ask({ amount: decimal(formatUsd(minimumNano)) })
      expect(least.outcome).toBe('created')
      expect(await ask({ amount: decimal('1e30') })).toEqual(outOfRange)
      for (const amount of ['0', '-1', '1.001'])
        expect(await ask({ amount: decimal(amount) })).toEqual({ outcome: 'amount_too_fine' })
      parties.gateway.usdPerBitcoin = null
      expect(await ask({ currency: 'SATS', amount: decimal('2000') })).toEqual({
        outcome: 'rate_unavailable',
      })
    })

    test('a gateway that is down is a typed error', async () => {
      const { invoiceId } = await create()
      parties.gateway.isDown = true
      await expect(payments.createInvoice(question())).rejects.toMatchObject(gatewayError)
      await expect(payments.recheckInvoice({ invoiceId })).rejects.toMatchObject(gatewayError)
      expect(await payments.getInvoice({ accountId, invoiceId })).toMatchObject({ state: 'New' })
    })

    test('unknown invoices, and those of others, are null', async () => {
      const { invoiceId } = await create()
      const other = await parties.createAccount()
      expect(await payments.getInvoice({ accountId: other, invoiceId })).toBeNull()
      for (const unknown of [UNKNOWN_ID, 'not-an-id', '']) {
        expect(await payments.getInvoice({ accountId, invoiceId: unknown })).toBeNull()
        expect(await payments.findInvoice({ invoiceId: unknown })).toBeNull()
        expect(await payments.recheckInvoice({ invoiceId: unknown })).toBeNull()
        expect(await payments.paySandboxInvoice({ invoiceId: unknown, fraction: decimal('1') })).toBeNull()
      }
      expect(await payments.paySandboxInvoice({ invoiceId, fraction: decimal('1') })).toBeNull()
    })

    test('methods are offered with their limits, bonus and rate', async () => {
      const lightning = { gatewayId: 'btcpay', bonusFraction: decimal('0.05') }
      expect(await payments.listMethods()).toEqual([
        { ...LIGHTNING_METHOD, ...lightning, usdPerBitcoin: decimal('85240.1') },
        { ...CARD_METHOD, gatewayId: 'sandbox', bonusFraction: ZERO, usdPerBitcoin: decimal('100000') },
      ])
    })

    test('a new invoice is told whole, the same at every look, and leads back to the visited site', async () => {
      const invoice = await create({ returnPath: '/refill' })
      expect(invoice).toEqual({
        invoiceId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        accountId,
        gatewayId: 'btcpay',
        gatewayInvoiceId: `scripted-${invoice.invoiceId}`,
        methodId: 'btc-lightning',
        requestedAmount: decimal('1.5'),
        requestedCurrency: 'USD',
        amountNano: 150n * NANO_PER_CENT,
        bonusFraction: decimal('0.05'),
        state: 'New',
        paidLate: false,
        ...{ paidNano: 0n, inTimeNano: 0n, maximumNano: LIGHTNING_METHOD.maximumNano, approvedNano: 0n },
        ...{ claimedNano: 0n, creditedNano: 0n, bonusClaimedNano: 0n, bonusNano: 0n },
        ...{ refundSeenNano: 0n, reversalClaimedNano: 0n, reversedNano: 0n },
        ...{ reversalBonusClaimedNano: 0n, reversedBonusNano: 0n, reversalCount: 0 },
        checkoutUrl: 'https://pay.test/i/1?a=b',
        lightningInvoice: 'lnbc1scripted',
        bitcoinAddress: null,
        bitcoinDue: decimal('0.00001759'),
        createdAt: expect.any(Date),
        expiresAt: expect.any(Date),
        readAt: invoice.createdAt,
      })
      expect(invoice.expiresAt.getTime() - invoice.createdAt.getTime()).toBe(
        LIGHTNING_METHOD.expirySeconds * 1000,
      )
      const { invoiceId } = invoice
      const same = { ...invoice, readAt: expect.any(Date) }
      expect(await payments.findInvoice({ invoiceId })).toEqual(same)
      expect(await payments.getInvoice({ accountId, invoiceId })).toEqual(same)
      expect(parties.gateway.returnUrl).toBe(`https://visited.test/refill?invoice=${invoice.invoiceId}`)
    })

    test('what arrived is credited once, with its bonus, whoever looks how often', async () => {
      const { invoiceId, gatewayInvoiceId, amountNano } = await create()
      parties.gateway.tell(gatewayInvoiceId, { state: 'Settled', paidNano: amountNano })
      const looks = [0, 1, 2, 3].map(() => payments.recheckInvoice({ invoiceId }))
      await Promise.all([...looks, payments.getInvoice({ accountId, invoiceId })])
      const bonusNano = amountNano / 20n
      const credited = { state: 'Settled', paidNano: amountNano, creditedNano: amountNano, bonusNano }
      expect(await payments.getInvoice({ accountId, invoiceId })).toMatchObject(credited)
      expect(await parties.balanceNano(accountId)).toBe(amountNano + bonusNano)
    })

    test('a sandbox invoice is paid in parts', async () => {
      const { invoiceId, amountNano } = await create({ methodId: 'card', amount: decimal('2') })
      const pay = (fraction: string) => payments.paySandboxInvoice({ invoiceId, fraction: decimal(fraction) })
      expect(await pay('0.25')).toMatchObject({ state: 'New', paidNano: amountNano / 4n })
      expect(await pay('1')).toMatchObject({ state: 'Settled', creditedNano: (amountNano * 5n) / 4n })
      expect(await parties.balanceNano(accountId)).toBe((amountNano * 5n) / 4n)
    })

    test('a refill link is made, found by its token alone, replaced and revoked, beside another account’s', async () => {
      const [first, second] = [randomHash(), randomHash()]
      const other = { accountId: await parties.createAccount() }
      const theirs = await refillLinks.create({ ...other, tokenHash: randomHash(), name: null })
      expect(await refillLinks.get({ accountId })).toBeNull()
      expect(await refillLinks.revoke({ accountId })).toEqual({ revoked: false })
      await refillLinks.create({ accountId, tokenHash: first, name: 'Before' })
      const made = await refillLinks.create({ accountId, tokenHash: second, name: 'عَطَاء & <b>' })
      expect(made).toEqual({ createdAt: expect.any(Date), name: 'عَطَاء & <b>' })
      expect(await refillLinks.get({ accountId })).toEqual(made)
      expect(await refillLinks.find({ tokenHash: first })).toBeNull()
      expect(await refillLinks.find({ tokenHash: second })).toEqual({ accountId, name: made.name })
      await refillLinks.create({ accountId, tokenHash: second, name: null })
      expect(await refillLinks.get({ accountId })).toMatchObject({ name: null })
      expect(await refillLinks.revoke({ accountId })).toEqual({ revoked: true })
      expect(await refillLinks.find({ tokenHash: second })).toBeNull()
      expect(await refillLinks.find({ tokenHash: randomUUID() })).toBeNull()
      expect(await refillLinks.get(other)).toEqual(theirs)
    })
  })
}
