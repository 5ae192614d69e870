import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { TestHost } from '@/lib/host-mode/testing'
import { parseCredential } from '@/lib/http/credential'
import { openHold, USAGE } from '@/lib/ledger/testing'
import { decimal } from '@/lib/payments/server/testing'
import { startJsonServer } from '@/test/stand-ins/json-server'
import { answerApi } from '@/test/support/answer-api'
import type { Services } from './composition'
import { readServerSettings } from './config/settings'

const { compose } = await import('./composition')
/** Which deployment a request is for, since both run in this process. */
const deployment = new AsyncLocalStorage<Services>()
jest.unstable_mockModule('@/lib/composition', () => ({ services: async () => deployment.getStore() }))

const TOKEN = 'the token between the two deployments'
const START_TIMEOUT_MS = 90_000

test('on Vercel the platform is told of the opening, for which the first request may not wait', async () => {
  const announced: Promise<unknown>[] = []
  jest.unstable_mockModule('next/server', () => ({
    after: (work: () => Promise<unknown>) => void announced.push(work()),
  }))
  const settings = readServerSettings({ VERCEL: '1', DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' })
  await expect(compose(settings)).rejects.toThrow('does not answer')
  expect(announced).toHaveLength(1)
  await announced[0]
})

describeOnPostgres('a function on Vercel', (_getDatabase, getUrl) => {
  test('stores no list of models, for which it has no disk', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'tuppence-function-'))
    const model = { id: 'maker/model', pricing: { prompt: '0', completion: '0' } }
    const host = await startJsonServer({ answer: () => ({ status: 200, body: { data: [model] } }) })
    const settings = { VERCEL: '1', DATABASE_URL: getUrl(), DATA_DIR: directory, UPSTREAM_BASE_URL: host.url }
    const services = await compose(readServerSettings(settings))
    expect(await services.catalogue.listModels()).toMatchObject([{ id: model.id }])
    expect(readdirSync(directory)).toEqual([])
    await services.close()
    await host.stop()
    rmSync(directory, { recursive: true })
  })
})

describe('two deployments, of which one keeps the money', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tuppence-deployments-'))
  const server = new TestHost()
  let host: Services
  let client: Services
  let creditId: string
  let accountId: string

  const lookUp = (services: Services, headers: Record<string, string> = {}) =>
    deployment.run(services, () =>
      answerApi(new Request(`https://site.test/api/payments/account/${creditId}/credit`, { headers })),
    )
  const postToHost = (verb: string, body: string, authorization: string, services = host) =>
    deployment.run(services, () => {
      const ask = (area: string) =>
        answerApi(
          new Request(`https://site.test/api/${area}/${verb}`, {
            method: 'POST',
            body,
            headers: { authorization },
          }),
        )
      return Promise.all([ask('ledger'), ask('payments-host')])
    })

  beforeAll(async () => {
    await server.start()
    server.answerWith(request => deployment.run(host, () => answerApi(request)))
    const settings = { SANDBOX: '1', PAYMENTS_HOST_TOKEN: TOKEN }
    host = await compose(readServerSettings({ ...settings, DATA_DIR: join(directory, 'host') }))
    client = await compose(
      readServerSettings({ ...settings, PAYMENTS_HOST: server.baseUrl, DATA_DIR: join(directory, 'client') }),
    )
    creditId = randomUUID()
    const creditIdHash = parseCredential(creditId)?.secretHash ?? ''
    const created = await client.ledger.createAccount({ creditIdHash, firstKey: null, attribution: null })
    accountId = created.accountId
  }, START_TIMEOUT_MS)

  afterAll(async () => {
    await client?.close()
    await host?.close()
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }, START_TIMEOUT_MS)

  test('a stranger is told nothing, and a deployment that is no host has no such routes', async () => {
    const statuses = async (...input: Parameters<typeof postToHost>) =>
      (await postToHost(...input)).map(({ status }) => status)
    expect(await statuses('getBalance', '{}', 'Bearer another token')).toEqual([401, 401])
    // Nor is anything that a stranger sends examined.
    expect(await statuses('getInvoice', 'no JSON', 'Bearer another token')).toEqual([401, 401])
    expect(await statuses('getBalance', '{}', `Bearer ${TOKEN}`, client)).toEqual([404, 404])
    // Only one of the two has this verb.
    expect(await statuses('getInvoice', 'no JSON', `Bearer ${TOKEN}`)).toEqual([404, 400])
    const tooLong = JSON.stringify('x'.repeat(256 * 1024))
    expect(await statuses('getInvoice', tooLong, `Bearer ${TOKEN}`)).toEqual([404, 413])
    expect(await statuses('getBalance', tooLong, `Bearer ${TOKEN}`)).toEqual([413, 404])
  })

  test('what is topped up and spent on one is on the books of the other', async () => {
    const created = await client.payments.createInvoice({
      accountId,
      methodId: 'btc-lightning',
      amount: decimal('2'),
      currency: 'USD',
      siteUrl: 'https://client.test',
    })
    if (created.outcome !== 'created') throw new Error(created.outcome)
    const { invoiceId } = created.invoice
    await client.payments.paySandboxInvoice({ invoiceId, fraction: decimal('1') })
    expect(await host.books.getAccount({ accountId })).toMatchObject({ balanceNano: 2_000_000_000n })
    const credential = parseCredential(creditId)
    if (!credential) throw new Error('no credential')
    const holdId = await openHold(client.ledger, credential, 700_000_000n)
    expect(await host.books.getAccount({ accountId })).toMatchObject({ heldNano: 700_000_000n })
    await client.ledger.settle({ holdId, costNano: 500_000_001n, usage: USAGE })
    const books = { balanceNano: 1_499_999_999n, heldNano: 0n }
    expect(await host.books.getAccount({ accountId })).toMatchObject(books)
    expect(await host.books.usageByDay({ dayCountMax: 1 })).toMatchObject([{ chargedNano: 500_000_001n }])
    expect(await (await lookUp(client)).json()).toEqual({ credit_id: creditId, amount_usd: 1.499999999 })
  })

  test('the one that keeps no money has the other end no holds, by its timer or its cron route', async () => {
    const askedBefore = server.requestCount
    const nothing = { releasedHoldIds: [], settledHoldIds: [] }
    expect(await client.ledger.sweep({ holdCountMax: 10 })).toEqual(nothing)
    expect(server.requestCount).toBe(askedBefore)
  })

  test('the pretend money of a sandbox is spent at no upstream that sends a bill', async () => {
    const spender = await compose(
      readServerSettings({
        OPENROUTER_API_KEY: 'sk-or-real',
        PAYMENTS_HOST: server.baseUrl,
        PAYMENTS_HOST_TOKEN: TOKEN,
        DATA_DIR: join(directory, 'spender'),
      }),
    )
    const credential = parseCredential(creditId)
    if (!credential) throw new Error('no credential')
    const why = 'The payments host is a sandbox: its money is made from nothing'
    await expect(spender.payments.listMethods()).rejects.toThrow(why)
    await expect(openHold(spender.ledger, credential, 1n)).rejects.toThrow(why)
    expect(await host.books.getAccount({ accountId })).toMatchObject({ heldNano: 0n })
    await spender.close()
  })

  test('the balance is told to the other deployment without a visitor’s limit', async () => {
    host.rateLimits.take = async () => {
      throw new Error('A limit was taken.')
    }
    expect((await lookUp(host, { authorization: `Bearer ${TOKEN}` })).status).toBe(200)
    expect((await lookUp(host, { authorization: 'Bearer another token' })).status).toBe(500)
  })

  test('the books are refused where there are none, in a sentence', async () => {
    for (const read of [
      client.books.check(),
      client.books.getAccount({ accountId }),
      client.books.usageByDay({ dayCountMax: 1 }),
    ]) {
      await expect(read).rejects.toThrow('Run this command at the deployment that PAYMENTS_HOST names')
    }
  })

  test('a host that is down is a 503 to a visitor, never a balance', async () => {
    server.answer = (request, _response) => request.socket.destroy()
    const request = new Request('https://site.test/credits/balance', {
      method: 'POST',
      body: JSON.stringify({ credit_id: creditId }),
    })
    const answer = await deployment.run(client, () => answerApi(request))
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ error: { code: 'ledger_unavailable' } })
  })
})

describe('a folder of data', () => {
  const directory = mkdtempSync(join(tmpdir(), 'tuppence-money-'))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))
  const start = async (dataDirectory: string, environment: Record<string, string>) => {
    const started = await compose(
      readServerSettings({ DATA_DIR: join(directory, dataDirectory), ...environment }),
    )
    await started.close()
  }
  const LIVE = { UPSTREAM_BASE_URL: 'https://upstream.example/v1', UPSTREAM_API_KEY: 'key' }
  const HOST = { PAYMENTS_HOST: 'http://127.0.0.1:9', PAYMENTS_HOST_TOKEN: TOKEN }

  test(
    'of the sandbox is refused by a start with an upstream that sends a bill, and stays the sandbox’s',
    async () => {
      await start('sandbox', {})
      await expect(start('sandbox', LIVE)).rejects.toThrow('the current settings would treat it as real')
      await start('sandbox', {})
    },
    START_TIMEOUT_MS,
  )

  test(
    'of a live site is refused by a start that has forgotten its settings',
    async () => {
      await start('live', LIVE)
      await expect(start('live', {})).rejects.toThrow('which creates money from nothing')
      await start('live', LIVE)
    },
    START_TIMEOUT_MS,
  )

  test('is not even made by a start with a malformed price', async () => {
    const prices = { MODEL_PRICES_TEXT: '{"maker/model":{"promt":"1"}}' }
    await expect(start('malformed', { ...LIVE, ...prices })).rejects.toThrow('MODEL_PRICES_TEXT is not valid')
    expect(existsSync(join(directory, 'malformed'))).toBe(false)
  })

  test(
    'whose money is at a host takes no side',
    async () => {
      await start('client', { ...LIVE, ...HOST })
      await start('client', {})
    },
    START_TIMEOUT_MS,
  )

  test(
    'whose money is at a host is no place for a gateway, which the log says',
    async () => {
      const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true)
      const stripe = { STRIPE_SECRET_KEY: 'sk_live_key', STRIPE_WEBHOOK_SECRET: 'whsec' }
      await start('gateways', { ...LIVE, ...HOST, ...stripe })
      const written = write.mock.calls.map(([text]) => String(text)).join('')
      write.mockRestore()
      expect(written).toContain('the settings of stripe have no effect here')
    },
    START_TIMEOUT_MS,
  )
})
