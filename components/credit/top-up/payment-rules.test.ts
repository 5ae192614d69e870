import { describe, expect, test } from '@jest/globals'
import { outcomeKey, paymentUri, pollIntervalMs, qrText, satoshisDue, stillDue } from './payment-rules'
import { returnPath } from './return-path'

describe('an invoice', () => {
  test('is polled as long as it is shown, and less often once it is paid or over', () => {
    expect(pollIntervalMs('Processing')).toBe(pollIntervalMs('New'))
    for (const state of ['Settled', 'Expired', 'Invalid'] as const)
      expect(pollIntervalMs(state)).toBeGreaterThan(pollIntervalMs('New'))
  })

  test.each([
    ['New', 'none', 'waiting'],
    ['New', 'paid_partial', 'partial'],
    ['Processing', 'none', 'seen'],
    ['Settled', 'none', 'credited'],
    ['Settled', 'paid_late', 'creditedLate'],
    ['Settled', 'paid_over', 'creditedOver'],
    ['Settled', 'under_review', 'underReview'],
    ['Expired', 'under_review', 'underReview'],
    ['Expired', 'paid_late', 'creditedLate'],
    ['Expired', 'none', 'expired'],
    ['Expired', 'paid_partial', 'partialExpired'],
    ['Expired', 'paid_over', 'creditedOver'],
    ['Invalid', 'none', 'invalid'],
    ['Invalid', 'paid_partial', 'partialExpired'],
    ['Invalid', 'paid_late', 'creditedLate'],
  ] as const)('%s with %s is shown as %s', (state, additionalStatus, key) => {
    const status = { status: state, additional_status: additionalStatus }
    expect(outcomeKey({ ...status, credited_usd: 0, refunded_usd: 0 })).toBe(key)
  })

  test('with a credit is never shown as invalid, and with a refund not as credited', () => {
    const invalid = { status: 'Invalid', additional_status: 'none', credited_usd: 5 } as const
    expect(outcomeKey({ ...invalid, refunded_usd: 0 })).toBe('credited')
    expect(outcomeKey({ ...invalid, status: 'Settled', refunded_usd: 5 })).toBe('refunded')
  })

  const onChain = { amount_usd: 10, crypto_amount_due: 0.0001, lightning_invoice: null, sandbox: false }
  test.each([
    [0, 10, 0.0001],
    [2.5, 7.5, 0.000075],
    [9.99999, 0.00001, 0.00000001],
    [10, 10, 0.0001],
  ])('of 10 dollars with %d paid asks for %d more', (paidUsd, amountUsd, bitcoinDue) => {
    const due = stillDue({ ...onChain, paid_usd: paidUsd })
    expect(due.amountUsd).toBeCloseTo(amountUsd, 9)
    expect(due.bitcoinDue).toBe(bitcoinDue)
  })

  test.each([
    ['for Lightning asks for all of it, which a wallet can only pay whole', false, 10],
    ['of the sandbox asks for the rest, which its button pays', true, 6],
  ])('%s', (_, sandbox, amountUsd) => {
    const ofLightning = { ...onChain, lightning_invoice: 'lnbc1abc', sandbox }
    expect(stillDue({ ...ofLightning, paid_usd: 4 }).amountUsd).toBe(amountUsd)
  })
})

describe('the payment link', () => {
  const nothing = { lightning_invoice: null, address: null, crypto_amount_due: null }

  test('is null for a method with its own checkout page', () => {
    expect(paymentUri(nothing)).toBeNull()
  })

  test('is the Lightning invoice, in capitals in the QR code', () => {
    const uri = paymentUri({ ...nothing, lightning_invoice: 'lnbc1abc' })
    expect(uri).toBe('lightning:lnbc1abc')
    expect(qrText(uri ?? '')).toBe('LIGHTNING:LNBC1ABC')
  })

  test('is the bitcoin address with its amount, without an exponent, and unchanged in the QR code', () => {
    const uri = paymentUri({ ...nothing, address: 'bc1qExample', crypto_amount_due: 0.0000001 })
    expect(uri).toBe('bitcoin:bc1qExample?amount=0.00000010')
    expect(qrText(uri ?? '')).toBe(uri)
  })

  test.each([
    [null, null],
    [0.00001, 1000],
    [0.29, 29_000_000],
  ])('%s bitcoin are %s satoshis', (bitcoin, satoshis) => {
    expect(satoshisDue(bitcoin)).toBe(satoshis)
  })
})

describe('the return path', () => {
  test.each([
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    '/a//b',
    '/a?b',
    '/\tx',
    '',
    undefined,
    ['/a'],
  ])('is the chat for %j', wanted => {
    expect(returnPath(wanted)).toBe('/')
  })

  test.each(['/', '/account', '/pricing'])('is %s', path => {
    expect(returnPath(path)).toBe(path)
  })
})
