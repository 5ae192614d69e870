import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { served, serveHost } from '@/lib/host-mode/server/serve-host'
import { PAYMENTS_CONTRACT, REFILL_LINKS_CONTRACT } from '../domain/payments'
import { createContractPayments } from '../testing'
import { createRefillLinks } from './refill-links'

const TOKEN = 'token of the host'

describeOnPostgres('taking payments for another deployment', getDatabase => {
  let offers: Parameters<typeof serveHost>[0]['offers']
  let accountId: string
  beforeAll(async () => {
    const { payments, parties } = createContractPayments(getDatabase())
    const refillLinks = createRefillLinks({ database: getDatabase() })
    offers = [served(PAYMENTS_CONTRACT, payments), served(REFILL_LINKS_CONTRACT, refillLinks)]
    accountId = await parties.createAccount()
  })
  const ask = async (verb: string, question: unknown = {}) => {
    const headers = { authorization: `Bearer ${TOKEN}` }
    const body = JSON.stringify(question)
    const request = new Request('https://host.test/', { method: 'POST', headers, body })
    const answer = await serveHost({ request, verb, token: TOKEN, offers })
    return { status: answer.status, body: await answer.json() }
  }
  const question = () => ({
    accountId,
    methodId: 'btc-lightning',
    amount: '1.5',
    currency: 'USD',
    siteUrl: 'https://visited.test',
  })

  test.each(['handleWebhook', 'reconcile', 'watch', 'creditRest', 'create', 'find'])(
    'the verb %j is not offered',
    async verb => {
      expect(await ask(verb)).toEqual({ status: 404, body: { error: { code: 'unknown_verb' } } })
    },
  )

  test.each<[string, Record<string, unknown>]>([
    ['an amount that is a number', { amount: 1.5 }],
    ['an infinite amount', { amount: '1e309' }],
    ['an unknown method', { methodId: 'shells' }],
    ['a site that is a script', { siteUrl: 'javascript:alert(1)//' }],
    ['a path to another site', { returnPath: '.evil.test/' }],
    ['a path with a query', { returnPath: '/top-up?invoice=1&' }],
    ['no account', { accountId: undefined }],
    ['an invalid account id', { accountId: 'nul \u0000 inside' }],
  ])('a request with %s is refused', async (_name, changes) => {
    const refused = { status: 400, body: { error: { code: 'invalid_input' } } }
    expect(await ask('createInvoice', { ...question(), ...changes })).toEqual(refused)
    expect(await ask('createInvoice', question())).toMatchObject({ status: 200 })
  })

  test('a request for an unknown account is refused with unknown_account', async () => {
    const stranger = { ...question(), accountId: randomUUID() }
    expect(await ask('createInvoice', stranger)).toEqual({
      status: 404,
      body: { error: { code: 'unknown_account' } },
    })
  })

  test('amounts are sent as decimal strings', async () => {
    expect(await ask('createInvoice', question())).toMatchObject({
      body: { outcome: 'created', invoice: { amountNano: '1500000000', requestedAmount: '1.5' } },
    })
  })
})
