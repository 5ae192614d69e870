import { randomUUID } from 'node:crypto'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import { EXCHANGE, hashOf, USAGE } from '@/lib/ledger/testing'
import type { PAYMENTS_CONTRACT } from '@/lib/payments/domain/payments'
import type { RefillLinks } from '@/lib/payments/domain/refill-links'

type Questions<Verb extends string> = Record<Verb, Record<string, unknown>>

/** A valid request for every verb that another deployment may call, for an existing account. */
export function hostQuestions(owned: {
  accountId: string
  creditIdHash: string
  keyId: string
  invoiceId: string
}): { path: string; body: Record<string, unknown> }[] {
  const { accountId, keyId, invoiceId } = owned
  const credential = { kind: 'credit_id', secretHash: owned.creditIdHash }
  const stranger = { kind: 'credit_id', secretHash: hashOf(randomUUID()) }
  const move = {
    accountId,
    amountNano: '5',
    source: 'operator',
    reference: randomUUID(),
    memo: { why: 'test' },
  }
  const key = {
    label: 'Key',
    usageLimitNano: '5',
    resetPeriod: 'daily',
    expiresAt: '2100-01-01T00:00:00.000Z',
  }
  const ledger: Questions<keyof Ledger> = {
    createAccount: {
      creditIdHash: hashOf(randomUUID()),
      firstKey: { secretHash: hashOf(randomUUID()), hint: 'abcd' },
      attribution: { utm_source: 'letter' },
    },
    getBalance: { credential },
    findClosedAccount: { credential },
    hold: {
      credential,
      amountNano: '1',
      minimumNano: '1',
      leastNano: '1',
      ttlSeconds: 60,
      idempotencyKeyHash: hashOf(randomUUID()),
      requestHash: hashOf('request'),
      exchange: EXCHANGE,
    },
    renew: { holdId: randomUUID(), ttlSeconds: 60, checkpoint: null },
    settle: { holdId: randomUUID(), costNano: '1', usage: USAGE },
    release: { holdId: randomUUID(), usage: USAGE },
    credit: move,
    reverse: move,
    merge: { from: stranger, into: credential, reference: randomUUID() },
    sweep: { holdCountMax: 10 },
    createKey: { accountId, secretHash: hashOf(randomUUID()), hint: 'abcd', ...key },
    listKeys: { accountId },
    getKey: { accountId, keyId },
    updateKey: { accountId, keyId, ...key },
    revokeKey: { accountId, keyId: randomUUID() },
    listUsage: {
      accountId,
      limit: 10,
      cursor: null,
      from: '2026-01-01T00:00:00.000Z',
      to: '2027-01-01T00:00:00.000Z',
      modelId: 'standin/small',
      keyId,
    },
    findUsage: { accountId, keyId, answerId: 'gen-1' },
    sumUsage: { accountId, keyId },
    getUsage: { accountId, holdId: randomUUID() },
    signReceipt: { accountId, keyId, holdId: randomUUID(), iss: 'https://site.test' },
    listReceiptKeys: {},
  }
  const payments: Questions<keyof typeof PAYMENTS_CONTRACT.verbs> = {
    listMethods: {},
    createInvoice: {
      accountId,
      methodId: 'btc-lightning',
      amount: '1',
      currency: 'USD',
      siteUrl: 'https://site.test',
      returnPath: '/top-up',
    },
    getInvoice: { accountId, invoiceId },
    findInvoice: { invoiceId },
    recheckInvoice: { invoiceId },
    paySandboxInvoice: { invoiceId, fraction: '0.5' },
  }
  const refill: Questions<`${keyof RefillLinks}RefillLink`> = {
    createRefillLink: { accountId, tokenHash: hashOf(randomUUID()), name: 'Anna' },
    getRefillLink: { accountId },
    revokeRefillLink: { accountId },
    findRefillLink: { tokenHash: hashOf(randomUUID()) },
  }
  const paths = (folder: string, questions: object) =>
    Object.entries(questions).map(([verb, body]) => ({ path: `/api/${folder}/${verb}`, body }))
  return [...paths('ledger', ledger), ...paths('payments-host', { ...payments, ...refill })]
}
