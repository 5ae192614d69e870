import { beforeAll, describe, expect, jest, test } from '@jest/globals'
import { CompiledQuery } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import { hashSecret } from '@/lib/http/credential'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { createSandboxGateway } from '@/lib/payments/gateways/sandbox/sandbox-gateway'
import { createPayments } from '@/lib/payments/server/create-payments'
import type { PaymentTables } from '@/lib/payments/server/payment-tables'
import { createRefillLinks } from '@/lib/payments/server/refill-links'
import { answerApi } from '@/test/support/answer-api'

const services = jest.fn<() => Promise<unknown>>()
jest.unstable_mockModule('@/lib/composition', () => ({ services }))

const UNKNOWN_TOKEN = `rf-${'A'.repeat(32)}`

const ask = (credential: string | null, method: string, path: string, body?: unknown) =>
  answerApi(
    new Request(`https://site.test${path}`, {
      method,
      headers: credential === null ? {} : { authorization: `Bearer ${credential}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  )
const askLink = (credential: string | null, method: string) => ask(credential, method, '/topup/refill/link')
const createInvoice = (token: string | null, body: unknown = { amount: 2 }, method = 'btc-lightning') =>
  ask(token, 'POST', `/topup/refill/create/${method}`, body)
const getStatus = (token: string | null, invoiceId: string) =>
  ask(token, 'GET', `/topup/refill/status/${invoiceId}`)
const pay = (invoiceId: string) => ask(null, 'POST', `/topup/sandbox/${invoiceId}/pay`, {})

async function newAccount(): Promise<{ creditId: string; apiKey: string }> {
  const answer = await (await ask(null, 'POST', '/accounts/create', {})).json()
  return { creditId: answer.credit_id, apiKey: answer.api_key }
}

async function newToken(creditId: string): Promise<string> {
  const answer = await askLink(creditId, 'POST')
  expect(answer.status).toBe(201)
  return (await answer.json()).token
}

describeOnPostgres('the refill routes', getDatabase => {
  let ledger: ReturnType<typeof createEmbeddedLedger>
  const taken: string[] = []
  beforeAll(() => {
    const database = getDatabase()
    ledger = createEmbeddedLedger({ database })
    const gateway = createSandboxGateway({ database: database.kysely.withTables<PaymentTables>() })
    services.mockResolvedValue({
      ledger,
      payments: createPayments({ database, ledger, gateways: [gateway] }),
      refillLinks: createRefillLinks({ database }),
      rateLimits: { take: async (name: string) => void taken.push(name) },
      settings: { siteUrl: null },
    })
  })
  const balanceNano = async (creditId: string) =>
    (await ledger.getBalance({ credential: { kind: 'credit_id', secretHash: hashSecret(creditId) } }))
      ?.balanceNano

  describe('refuse', () => {
    test('creating, showing or revoking a link with an API key, a token or no credential', async () => {
      const { apiKey, creditId } = await newAccount()
      const token = await newToken(creditId)
      for (const method of ['GET', 'POST', 'DELETE']) {
        expect((await askLink(apiKey, method)).status).toBe(403)
        expect((await askLink(token, method)).status).toBe(401)
        expect((await askLink(null, method)).status).toBe(401)
      }
    })

    test.each([
      ['nothing', null],
      ['an unknown token', UNKNOWN_TOKEN],
      ['something else', 'rf-short'],
    ])('an invoice and its status to %s, and count the attempt', async (_what, token) => {
      taken.length = 0
      expect((await createInvoice(token)).status).toBe(401)
      expect((await getStatus(token, '00000000-0000-4000-8000-000000000000')).status).toBe(401)
      expect(taken).toEqual(['unknown_credential', 'unknown_credential'])
    })

    test('a credit_id and an API key in place of the token', async () => {
      const { creditId, apiKey } = await newAccount()
      expect((await createInvoice(creditId)).status).toBe(401)
      expect((await createInvoice(apiKey)).status).toBe(401)
    })

    test('an amount out of range, an unknown method and a malformed body', async () => {
      const token = await newToken((await newAccount()).creditId)
      expect((await createInvoice(token, { amount: -1 })).status).toBe(400)
      expect((await createInvoice(token, { amount: 99_999_999 })).status).toBe(400)
      expect((await createInvoice(token, { amount: 1 }, 'gold')).status).toBe(404)
    })

    test('the status of an invoice of another account', async () => {
      const [mine, other] = await Promise.all([newAccount(), newAccount()])
      const [myToken, otherToken] = [await newToken(mine.creditId), await newToken(other.creditId)]
      const { invoice_id: invoiceId } = await (await createInvoice(myToken)).json()
      expect((await getStatus(otherToken, invoiceId)).status).toBe(404)
      expect((await getStatus(myToken, invoiceId)).status).toBe(200)
    })
  })

  test('a payment through the link is credited, and its answers reveal nothing of the account', async () => {
    const { creditId, apiKey } = await newAccount()
    const token = await newToken(creditId)
    taken.length = 0
    const created = await createInvoice(token)
    expect(created.status).toBe(200)
    const { invoice_id: invoiceId } = await created.json()
    expect(taken).toEqual(['invoice_creation'])
    await pay(invoiceId)
    const answer = await (await getStatus(token, invoiceId)).text()
    expect(JSON.parse(answer)).toMatchObject({ status: 'Settled', credited_usd: 2 })
    for (const secret of [creditId, apiKey, 'balance', 'account']) expect(answer).not.toContain(secret)
    expect(await balanceNano(creditId)).toBe(2_000_000_000n)
  })

  test('a link shows its name in one line until it is revoked', async () => {
    const { creditId } = await newAccount()
    const name = ' Anna’s\u202e school\n\t2026 <b>'
    const made = await (await ask(creditId, 'POST', '/topup/refill/link', { name })).json()
    expect(made).toMatchObject({ name: 'Anna’s school 2026 <b>' })
    expect(await (await askLink(creditId, 'GET')).json()).toMatchObject({ name: made.name })
    expect(await (await ask(made.token, 'GET', '/topup/refill')).json()).toEqual({ name: made.name })
    await askLink(creditId, 'DELETE')
    expect((await ask(made.token, 'GET', '/topup/refill')).status).toBe(401)
    expect((await ask(creditId, 'GET', '/topup/refill')).status).toBe(401)
  })

  test.each([
    [{}, 201, null],
    [{ name: null }, 201, null],
    [{ name: ' \u200f ' }, 201, null],
    [{ name: '\u{1f393}'.repeat(40) }, 201, '\u{1f393}'.repeat(40)],
    [{ name: 'a'.repeat(81) }, 400, undefined],
    [{ name: 7 }, 400, undefined],
    [{ name: 'a\0b' }, 400, undefined],
    [{ name: '\ud800' }, 400, undefined],
  ])('creating a link for %j answers %d', async (body, status, name) => {
    const { creditId } = await newAccount()
    const answer = await ask(creditId, 'POST', '/topup/refill/link', body)
    expect(answer.status).toBe(status)
    expect((await answer.json()).name).toBe(name)
  })

  test('a new link replaces the previous one', async () => {
    const { creditId } = await newAccount()
    const before = await newToken(creditId)
    const after = await newToken(creditId)
    expect((await createInvoice(before)).status).toBe(401)
    expect((await createInvoice(after)).status).toBe(200)
  })

  test('a revoked link stops working, while its open invoice is still credited', async () => {
    const { creditId } = await newAccount()
    const token = await newToken(creditId)
    const { invoice_id: invoiceId } = await (await createInvoice(token)).json()
    expect((await askLink(creditId, 'GET')).status).toBe(200)
    expect((await askLink(creditId, 'DELETE')).status).toBe(200)
    expect((await askLink(creditId, 'DELETE')).status).toBe(404)
    expect((await askLink(creditId, 'GET')).status).toBe(204)
    expect((await getStatus(token, invoiceId)).status).toBe(401)
    await pay(invoiceId)
    expect(await balanceNano(creditId)).toBe(2_000_000_000n)
  })

  test('the link is not stored in clear', async () => {
    const token = await newToken((await newAccount()).creditId)
    const { rows } = await getDatabase().kysely.executeQuery(CompiledQuery.raw('select * from refill_link'))
    expect(JSON.stringify(rows)).toContain(hashSecret(token))
    expect(JSON.stringify(rows)).not.toContain(token)
  })
})
