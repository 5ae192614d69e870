import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import fc from 'fast-check'
import { sql } from 'kysely'
import OpenAI from 'openai'
import { ApiError } from '@/lib/http/api-error'
import { createBodiesInFlight } from '@/lib/http/bodies-in-flight'
import { hashSecret } from '@/lib/http/credential'
import { checkLedger } from '@/lib/ledger/server/check-ledger'
import { readBolt11 } from '@/lib/payments/domain/bolt11'
import { createPayments } from '@/lib/payments/server/create-payments'
import { readToken, writeToken } from '@/lib/payments/server/l402-token'
import { scriptedGateway } from '@/lib/payments/server/testing'
import { answerApi } from '@/test/support/answer-api'
import { QUESTION } from '@/test/support/exchange-calls'
import { useSdkSite } from '@/test/support/sdk-site'
import { verifyPaymentToken } from './tokens'

const LIFE_COUNT = 12
const WHOLE_QUESTION = { ...QUESTION, stream: false }
/** Four cents each. */
const PICTURE = { model: 'standin/painter', prompt: 'A copper coin' }
const CHALLENGE = /^L402 macaroon="(.*?)", invoice="(.*?)", version="0", token="(.*?)", Payment (id=".*)$/

interface Challenge {
  token: string
  invoice: string
  invoiceId: string
  payment: Record<string, string>
}

interface Pair {
  token: string
  preimage: string
}

describe('agents without an account', () => {
  const site = useSdkSite()

  function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${site.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  }

  const ask = (headers: Record<string, string>, body: object = WHOLE_QUESTION) =>
    post('/v1/chat/completions', body, headers)
  const draw = (headers: Record<string, string>, more: object = {}) =>
    post('/v1/images/generations', { ...PICTURE, ...more }, headers)
  const l402 = ({ token, preimage }: Pair) => ({ authorization: `L402 ${token}:${preimage}` })
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
  const codeOf = async (response: Response) => [response.status, (await response.json()).error.code]

  async function challengeIn(response: Response): Promise<Challenge> {
    expect(response.status).toBe(402)
    const { error } = await response.json()
    const [, macaroon = '', invoice = '', token = '', rest = ''] =
      CHALLENGE.exec(response.headers.get('www-authenticate') ?? '') ?? []
    expect(macaroon).toBe(token)
    const payment = Object.fromEntries(
      [...rest.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    )
    return { token, invoice, invoiceId: error.payment.invoice_id, payment }
  }

  /** As a wallet pays: it knows the invoice, and learns the preimage. */
  async function pay({ token, invoice, invoiceId }: Challenge): Promise<Pair> {
    const { preimage } = await (await post(`/topup/sandbox/${invoiceId}/pay`, {})).json()
    const paymentHash = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')
    expect(readBolt11(invoice)?.paymentHash).toBe(paymentHash)
    return { token, preimage }
  }

  const buy = async (body: object = WHOLE_QUESTION) => pay(await challengeIn(await ask({}, body)))

  function answerTo({ payment }: Challenge, preimage: string): Record<string, string> {
    const credential = { challenge: payment, payload: { preimage } }
    return { authorization: `Payment ${Buffer.from(JSON.stringify(credential)).toString('base64url')}` }
  }

  async function balanceOf(headers: Record<string, string>): Promise<number> {
    return (await (await post('/credits/balance', {}, headers)).json()).balance
  }

  async function newCredit(): Promise<string> {
    return (await (await post('/accounts/create', {})).json()).credit_id
  }

  const moveTo = (creditId: string, { token, preimage }: Pair) =>
    post('/accounts/merge', { from_token: `${token}:${preimage}` }, bearer(creditId))

  async function accountCount(): Promise<number> {
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from account`.execute(
      site.site.database.kysely,
    )
    return rows[0]?.count ?? 0
  }

  async function expectBooksToAgree(): Promise<void> {
    const { differences, creditNano, debtNano, systemBalancesNano } = await checkLedger(site.site)
    expect(differences).toEqual([])
    const system = Object.values(systemBalancesNano).reduce((sum, nano) => sum + nano, 0n)
    expect(creditNano - debtNano + system).toBe(0n)
  }

  describe('a request without a credential', () => {
    test('is offered one invoice in both payment schemes', async () => {
      const response = await ask({})
      expect(response.headers.get('cache-control')).toBe('no-store')
      const { error } = await response.clone().json()
      const { token, invoice, invoiceId, payment } = await challengeIn(response)
      expect(error).toMatchObject({ code: 'payment_required', type: 'insufficient_quota' })
      expect(error.payment).toMatchObject({ lightning_invoice: invoice, amount_sats: 100, amount_usd: 0.1 })
      expect(error.required_usd).toBeLessThan(0.1)
      const bolt11 = readBolt11(invoice)
      expect(bolt11).toMatchObject({ network: 'regtest', millisatoshis: 100_000n })
      expect(readToken(token)).toMatchObject({ invoiceId, paymentHash: bolt11?.paymentHash })
      const { host: realm } = new URL(site.url)
      expect(payment).toMatchObject({ id: invoiceId, realm, method: 'lightning', intent: 'charge' })
      const decoded = (name: string) => JSON.parse(Buffer.from(payment[name] ?? '', 'base64url').toString())
      expect(decoded('request')).toEqual({
        amount: '100',
        currency: 'sat',
        externalId: invoiceId,
        methodDetails: { invoice, network: 'regtest', paymentHash: bolt11?.paymentHash },
      })
      expect(decoded('opaque')).toEqual({ token })
      expect(new Date(payment.expires ?? '').getTime() / 1000).toBeCloseTo(error.payment.expires_at, -1)
    })

    test('is offered the request’s own price if that exceeds the minimum, up to its maximum charge', async () => {
      const dear = { model: 'standin/painter', prompt: PICTURE.prompt, n: 5 }
      const { error } = await (await post('/v1/images/generations', dear)).json()
      expect(error.required_usd).toBeCloseTo(0.2, 2)
      expect(error.payment.amount_sats).toBe(Math.ceil(error.required_usd * 1000))
      const limited = await post('/v1/images/generations', dear, { 'x-max-charge-usd': '0.15' })
      expect((await limited.json()).error.required_usd).toBe(0.15)
    })

    test('gets no invoice if the request cannot be made for its maximum charge', async () => {
      const before = await accountCount()
      const response = await ask({ 'x-max-charge-usd': '0.000001' })
      expect(response.headers.get('www-authenticate')).toBeNull()
      const { error } = await response.json()
      expect([response.status, error.code]).toEqual([402, 'price_above_limit'])
      // The least that buys an answer is enough.
      const possible = await ask({ 'x-max-charge-usd': String(error.required_usd) })
      expect(await codeOf(possible)).toEqual([402, 'payment_required'])
      expect(await accountCount()).toBe(before + 1)
    })

    test('gets no invoice if it is invalid or free', async () => {
      const before = await accountCount()
      expect(await codeOf(await ask({}, { model: 'standin/small' }))).toEqual([400, 'invalid_request'])
      expect(await codeOf(await ask({}, { ...WHOLE_QUESTION, model: 'no/such' }))).toEqual([
        404,
        'model_not_found',
      ])
      expect(await codeOf(await ask({}, { ...WHOLE_QUESTION, model: 'standin/free' }))).toEqual([
        401,
        'invalid_credential',
      ])
      const own = await ask({ 'sec-fetch-site': 'same-origin' })
      expect([own.headers.get('www-authenticate'), ...(await codeOf(own))]).toEqual([
        null,
        401,
        'invalid_credential',
      ])
      const long = new Blob([JSON.stringify({ ...WHOLE_QUESTION, user: 'x'.repeat(300_000) })]).stream()
      const tooLong = await fetch(`${site.url}/v1/chat/completions`, {
        method: 'POST',
        body: long,
        duplex: 'half',
      } as RequestInit)
      const { error } = await tooLong.json()
      expect([tooLong.status, error.code]).toEqual([413, 'request_too_large'])
      // With a credential it may be longer.
      expect(error.message).toMatch(/^Without a credential, a request may have 262144 bytes\./)
      const pages: Record<string, string>[] = [{ 'x-resume-key': 'a'.repeat(43) }, { authorization: 'L402' }]
      for (const headers of pages) expect((await ask(headers)).status).toBe(401)
      expect(await accountCount()).toBe(before)
      expect(site.upstream.requests.filter(({ path }) => path.endsWith('/chat/completions'))).toEqual([])
    })

    test('with an invalid credential is refused without an invoice', async () => {
      const guess = `sk-${randomUUID()}`
      expect((await ask(bearer(guess))).status).toBe(401)
      expect((await ask({ authorization: 'Basic YTpi' })).status).toBe(401)
    })
  })

  test('too often gets no invoice and causes no upstream request, also with a spent token', async () => {
    const pair = await buy()
    expect([(await draw(l402(pair))).status, (await draw(l402(pair))).status]).toEqual([200, 200])
    const { payments } = site.site
    const listMethods = jest.spyOn(payments, 'listMethods')
    const rateLimits = {
      async take(name: string) {
        if (name === 'payment_challenge') throw new ApiError('rate_limited', 'Too many requests.')
      },
    }
    await site.during({ rateLimits, payments }, async () => {
      expect(await codeOf(await ask({}))).toEqual([429, 'rate_limited'])
      expect(await codeOf(await draw(l402(pair)))).toEqual([429, 'rate_limited'])
    })
    expect(listMethods).not.toHaveBeenCalled()
    listMethods.mockRestore()
  })

  test('is refused while the bytes of other bodies leave no room for it', async () => {
    const bodiesInFlight = createBodiesInFlight({ onVercel: false, limits: { bytesMax: 0 } })
    await site.during({ bodiesInFlight }, async () => {
      expect(await codeOf(await ask({}))).toEqual([429, 'rate_limited'])
    })
  })

  test('counts as no challenge if a token was refused for anything but its balance', async () => {
    const pair = await buy()
    const taken: string[] = []
    const rateLimits = { take: async (name: string) => void taken.push(name) }
    await site.during({ rateLimits }, async () => {
      expect((await ask(l402(pair), { ...WHOLE_QUESTION, model: 'standin/unheard-of' })).status).toBe(404)
    })
    expect(taken).toEqual([])
  })

  test('is counted only once on a site without Lightning', async () => {
    const { database, ledger } = site.site
    const payments = createPayments({ database, ledger, gateways: [] })
    const taken: string[] = []
    const rateLimits = { take: async (name: string) => void taken.push(name) }
    await site.during({ rateLimits, payments }, async () => {
      for (let count = 0; count < 3; count += 1)
        expect(await codeOf(await ask({}))).toEqual([401, 'invalid_credential'])
    })
    expect(taken).toEqual(['payment_challenge'])
  })

  test('gets no invoice if the gateway’s invoices cannot be read', async () => {
    const { database, ledger } = site.site
    const payments = createPayments({ database, ledger, gateways: [scriptedGateway()] })
    const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true)
    await site.during({ payments }, async () => {
      const response = await ask({})
      expect([response.headers.has('www-authenticate'), ...(await codeOf(response))]).toEqual([
        ...[false, 401, 'invalid_credential'],
      ])
    })
    expect(said).toHaveBeenCalled()
    said.mockRestore()
    const card = createPayments({ database, ledger, gateways: [] })
    await site.during({ payments: card }, async () => expect((await ask({})).status).toBe(401))
  })

  test('gets no invoice if the gateway’s is over another amount', async () => {
    const { payments } = site.site
    const dearer: typeof payments = {
      ...payments,
      createInvoice: ({ amount, ...rest }) =>
        payments.createInvoice({ ...rest, amount: { ...amount, coefficient: amount.coefficient + 1n } }),
    }
    const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true)
    await site.during({ payments: dearer }, async () => {
      expect(await codeOf(await ask({}))).toEqual([401, 'invalid_credential'])
    })
    said.mockRestore()
  })

  describe('a paid token', () => {
    test('runs the request, keeps the rest, and works as an API key', async () => {
      const pair = await buy()
      const answer = await (await ask(l402(pair))).json()
      expect(answer.usage.cost).toBeGreaterThan(0)
      expect(answer.usage.balance_usd).toBeCloseTo(0.1 - answer.usage.cost, 9)
      const again = await (
        await ask({ authorization: `LSAT ${pair.token}:${pair.preimage.toUpperCase()}` })
      ).json()
      expect(again.usage.balance_usd).toBeLessThan(answer.usage.balance_usd)
      expect(await balanceOf(l402(pair))).toBe(again.usage.balance_usd)
      const { data } = await (await fetch(`${site.url}/queries/history`, { headers: l402(pair) })).json()
      expect(data).toHaveLength(2)
    })

    test('streams in a client that only knows API keys', async () => {
      const { token, preimage } = await buy()
      const client = new OpenAI({ baseURL: `${site.url}/v1`, apiKey: `${token}:${preimage}`, maxRetries: 0 })
      const stream = await client.chat.completions.create({
        ...QUESTION,
        stream: true,
      } as OpenAI.ChatCompletionCreateParamsStreaming)
      const chunks: OpenAI.ChatCompletionChunk[] = []
      for await (const chunk of stream) chunks.push(chunk)
      expect(chunks.length).toBeGreaterThan(1)
      expect(chunks.at(-1)?.usage).toMatchObject({
        cost: expect.any(Number),
        balance_usd: expect.any(Number),
      })
      expect(await balanceOf({ 'x-api-key': `${token}:${preimage}` })).toBeLessThan(0.1)
    })

    test('answers a Payment challenge once: a repetition gets the same answer, another request is refused', async () => {
      const challenge = await challengeIn(await ask({}))
      const { token, preimage } = await pay(challenge)
      const headers = answerTo(challenge, preimage)
      const [first, second] = await Promise.all([ask(headers), ask(headers)])
      const receipt = JSON.parse(
        Buffer.from(first?.headers.get('payment-receipt') ?? '', 'base64url').toString(),
      )
      expect(receipt).toEqual({
        challengeId: challenge.invoiceId,
        method: 'lightning',
        reference: readBolt11(challenge.invoice)?.paymentHash,
        status: 'success',
        timestamp: expect.any(String),
      })
      const answer = await first?.json()
      expect(await second?.json()).toEqual(answer)
      expect(await codeOf(await ask(headers, { ...WHOLE_QUESTION, max_tokens: 7 }))).toEqual([
        409,
        'conflict',
      ])
      expect(await balanceOf(l402({ token, preimage }))).toBe(answer.usage.balance_usd)
      const changed = { ...challenge, payment: { ...challenge.payment, expires: '2030-01-01T00:00:00.000Z' } }
      expect((await ask(answerTo(changed, preimage))).status).toBe(401)
    })

    test('that has run short is offered the missing amount, paid to the same credit', async () => {
      const pair = await pay(await challengeIn(await draw({})))
      expect([(await draw(l402(pair))).status, (await draw(l402(pair))).status]).toEqual([200, 200])
      const refused = await draw(l402(pair))
      expect((await refused.clone().json()).error).toMatchObject({
        code: 'payment_required',
        required_usd: 0.02,
      })
      // Everything that was asked for, and not the one picture that would do.
      expect((await (await draw(l402(pair), { n: 3 })).json()).error).toMatchObject({
        code: 'payment_required',
        required_usd: 0.1,
      })
      const long = { ...WHOLE_QUESTION, user: 'x'.repeat(4 * 1024 * 1024) }
      expect((await (await ask(l402(pair), long)).json()).error).toMatchObject({
        code: 'payment_required',
        required_usd: 0.08,
      })
      const more = await pay(await challengeIn(refused))
      expect((await draw(l402(more))).status).toBe(200)
      const left = await balanceOf(l402(more))
      expect([left, await balanceOf(l402(pair))]).toEqual([0.08, 0.08])
    })

    test('answers each of its Payment challenges with a call of its own', async () => {
      const first = await challengeIn(await draw({}))
      const pair = await pay(first)
      expect((await draw(answerTo(first, pair.preimage))).status).toBe(200)
      expect((await draw(l402(pair))).status).toBe(200)
      const second = await challengeIn(await draw(l402(pair)))
      const { preimage } = await pay(second)
      expect(readToken(second.token)?.tokenId).toEqual(readToken(pair.token)?.tokenId)
      expect((await draw(answerTo(second, preimage))).status).toBe(200)
      expect(site.upstream.requests.filter(({ path }) => path === '/images/generations')).toHaveLength(3)
      expect(await balanceOf(l402(pair))).toBe(0.08)
    })

    test('moves its rest to a credit once, however many parallel requests', async () => {
      const pair = await buy()
      const creditId = await newCredit()
      const moved = await Promise.all([1, 2, 3].map(async () => (await moveTo(creditId, pair)).json()))
      expect(moved.map(({ moved_usd }) => moved_usd).sort()).toEqual([0, 0, 0.1])
      expect([await balanceOf(bearer(creditId)), await balanceOf(l402(pair))]).toEqual([0.1, 0])
      expect((await ask(l402(pair))).status).toBe(402)
      expect((await moveTo(creditId, { ...pair, preimage: randomBytes(32).toString('hex') })).status).toBe(
        401,
      )
      const free = await post('/accounts/merge', { from_token: 'no token' }, bearer(creditId))
      expect(await codeOf(free)).toEqual([400, 'invalid_request'])
    })
  })

  describe('an unpaid token', () => {
    test('is refused with any preimage', async () => {
      const unpaid = await challengeIn(await ask({}))
      const paid = await buy()
      const { tokenId = Buffer.alloc(0) } = readToken(unpaid.token) ?? {}
      const preimages = [
        randomBytes(32).toString('hex'),
        paid.preimage,
        readBolt11(unpaid.invoice)?.paymentHash ?? '',
      ]
      for (const preimage of preimages) {
        expect(await codeOf(await ask(l402({ token: unpaid.token, preimage })))).toEqual([
          401,
          'invalid_credential',
        ])
        expect((await ask(answerTo(unpaid, preimage))).status).toBe(401)
      }
      const alone = [unpaid.token, paid.token, `sk-${tokenId.toString('base64url')}`, unpaid.invoiceId]
      for (const secret of alone) expect((await ask(bearer(secret))).status).toBe(401)
      for (const header of ['L402', 'L402 x', 'Payment', 'Payment e30', `L402 ${paid.token}`])
        expect((await ask({ authorization: header })).status).toBe(401)
    })

    test('is not paid for by the invoice of another credit, nor by its own under another payment hash', async () => {
      const unpaid = readToken((await challengeIn(await ask({}))).token)
      const { token, preimage } = await buy()
      const paid = readToken(token)
      if (!unpaid || !paid) throw new Error('There is no token.')
      const { tokenId } = unpaid
      // Whoever holds a token can sign another, since its key is its own id.
      const forged = [
        writeToken({ ...paid, tokenId }),
        writeToken({ ...unpaid, paymentHash: paid.paymentHash }),
        writeToken({ ...paid, paymentHash: unpaid.paymentHash }),
      ]
      for (const each of forged)
        expect(await codeOf(await ask(l402({ token: each, preimage })))).toEqual([401, 'invalid_credential'])
    })

    test('counts as a guess', async () => {
      const { token } = await challengeIn(await ask({}))
      const taken: string[] = []
      const rateLimits = {
        async take(name: string) {
          taken.push(name)
          throw new ApiError('rate_limited', 'Too many requests.')
        },
      }
      await site.during({ rateLimits }, async () => {
        const preimage = randomBytes(32).toString('hex')
        expect(await codeOf(await ask(l402({ token, preimage })))).toEqual([429, 'rate_limited'])
      })
      expect(taken).toEqual(['unknown_credential'])
    })

    test('is refused even with the right preimage until the gateway reports the payment', async () => {
      const { token, invoiceId } = await challengeIn(await ask({}))
      const { payments, ledger } = site.site
      const invoice = await payments.findInvoice({ invoiceId })
      const preimage = invoice?.gatewayInvoiceId.replace('sandbox-', '') ?? ''
      const prove = verifyPaymentToken({ payments, ledger }, { token, preimage, challenge: null }, [])
      await expect(prove).rejects.toMatchObject({
        code: 'invalid_credential',
        headers: { 'retry-after': '5' },
      })
      await post(`/topup/sandbox/${invoiceId}/pay`, { fraction: 1 })
      expect(await balanceOf(l402({ token, preimage }))).toBe(0.1)
    })

    test('is accepted once the gateway, asked again, reports the payment', async () => {
      const { token, preimage } = await buy()
      const { payments, ledger } = site.site
      const { invoiceId = '' } = readToken(token) ?? {}
      const paid = await payments.recheckInvoice({ invoiceId })
      if (!paid) throw new Error('There is no invoice.')
      const unpaid = { ...paid, creditedNano: 0n }
      const looks = [unpaid, unpaid, paid]
      const slow = {
        ...payments,
        findInvoice: async () => unpaid,
        getInvoice: async () => looks.shift() ?? null,
      }
      const input = { token, preimage: preimage.toUpperCase(), challenge: null }
      const prove = (waitsMs: number[]) => verifyPaymentToken({ payments: slow, ledger }, input, waitsMs)
      await expect(prove([])).rejects.toMatchObject({ code: 'invalid_credential' })
      expect((await prove([0])).invoice).toBe(paid)
      expect(looks).toEqual([])
    })

    test('is invalid if one byte differs', async () => {
      const { token, preimage } = await buy()
      const bytes = Buffer.from(token, 'base64')
      await fc.assert(
        fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
          const other = Buffer.from(bytes)
          other[at] = (other[at] ?? 0) ^ change
          const response = await ask(l402({ token: other.toString('base64'), preimage }))
          expect(response.status).toBe(401)
        }),
        { numRuns: 40 },
      )
    })

    test('is deleted with its account an hour after its invoice, unlike a paid one', async () => {
      const { database, payments } = site.site
      const unpaid = await challengeIn(await ask({}))
      const paid = await challengeIn(await ask({}))
      const pair = await pay(paid)
      const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from a.remove_unpaid_at - i.expires_at)::float8 as seconds
      from invoice i join account a on a.id = i.account_id where i.id = ${unpaid.invoiceId}`.execute(
        database.kysely,
      )
      // Counted from when the account was opened, which was a little before its invoice.
      expect(rows[0]?.seconds).toBeGreaterThan(3_000)
      expect(rows[0]?.seconds).toBeLessThanOrEqual(3_600)
      const age = (invoiceId: string) =>
        sql`
      with aged as (update invoice set expires_at = now() - interval '1 minute', next_check_at = now()
        where id = ${invoiceId} returning account_id)
      update account set remove_unpaid_at = now() from aged where id = aged.account_id`.execute(
          database.kysely,
        )
      for (const { invoiceId } of [unpaid, paid]) await age(invoiceId)
      const before = await accountCount()
      await payments.reconcile({ invoiceCountMax: 1_000 })
      expect(await accountCount()).toBe(before - 1)
      expect(await payments.findInvoice({ invoiceId: unpaid.invoiceId })).toBeNull()
      expect(await balanceOf(l402(pair))).toBe(0.1)
      await payments.reconcile({ invoiceCountMax: 1_000 })
      expect(await accountCount()).toBe(before - 1)
    })

    test('is kept until the gateway reports the invoice as final', async () => {
      const { database, payments } = site.site
      const { invoiceId } = await challengeIn(await ask({}))
      await sql`update account set remove_unpaid_at = now()
      where id = (select account_id from invoice where id = ${invoiceId})`.execute(database.kysely)
      await payments.reconcile({ invoiceCountMax: 0 })
      expect(await payments.findInvoice({ invoiceId })).toMatchObject({ state: 'New' })
    })

    /** The last look at an invoice: taken up by a process, which notes that none comes after it, and then asks. */
    async function lookLast({ hoursAgo }: { hoursAgo: number }): Promise<string> {
      const { database, payments } = site.site
      const { invoiceId } = await challengeIn(await ask({}))
      await sql`
      with given_up as (
        update invoice set expires_at = now() - interval '31 days', next_check_at = null,
          checked_at = now() - make_interval(hours => ${hoursAgo})
        where id = ${invoiceId} returning account_id)
      update account set remove_unpaid_at = now() from given_up where id = given_up.account_id`.execute(
        database.kysely,
      )
      await payments.reconcile({ invoiceCountMax: 0 })
      return invoiceId
    }

    test('is deleted at last if the gateway never reports the invoice as final', async () => {
      const invoiceId = await lookLast({ hoursAgo: 2 })
      expect(await site.site.payments.findInvoice({ invoiceId })).toBeNull()
    })

    test('is kept during the last check, which may find it paid', async () => {
      const invoiceId = await lookLast({ hoursAgo: 0 })
      expect(await site.site.payments.findInvoice({ invoiceId })).toMatchObject({ state: 'New' })
    })
  })

  /** In dollars, as numbers with nine decimals. */
  const sum = (amounts: readonly number[]) =>
    Number(amounts.reduce((total, amount) => total + amount, 0).toFixed(9))

  const step = fc.oneof(
    fc.record({ do: fc.constant('pay' as const), times: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ do: fc.constant('ask' as const), times: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ do: fc.constant('draw' as const), times: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ do: fc.constant('answer' as const), times: fc.integer({ min: 1, max: 2 }) }),
    fc.record({ do: fc.constant('move' as const), times: fc.integer({ min: 1, max: 3 }) }),
  )

  describe('the life of a token', () => {
    test('in any parallel use, the paid amount is available, spent or moved', async () => {
      const life = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async steps => {
        const challenge = await challengeIn(await ask({}))
        const creditId = await newCredit()
        const spent: number[] = []
        const moved: number[] = []
        let answeredUsd: number | null = null
        let paidCount = 0
        let pair: Pair = { token: challenge.token, preimage: randomBytes(32).toString('hex') }
        for (const { do: what, times } of steps) {
          const each = <Result>(work: () => Promise<Result>) =>
            Promise.all(Array.from({ length: times }, work))
          const isPaid = paidCount > 0
          if (what === 'pay') {
            // A second payment of an invoice that is paid is what the payer has lost by mistake: it is credited too.
            const [learned] = await each(() => pay(challenge))
            paidCount += times
            pair = learned ?? pair
          } else if (what === 'move') {
            const answers = await each(() => moveTo(creditId, pair))
            for (const answer of answers) {
              expect(answer.status).toBe(isPaid ? 200 : 401)
              if (isPaid) moved.push((await answer.json()).moved_usd)
            }
          } else {
            const headers = what === 'answer' ? answerTo(challenge, pair.preimage) : l402(pair)
            const answers = await each(() => (what === 'draw' ? draw(headers) : ask(headers)))
            for (const answer of answers) {
              const body = await answer.json()
              expect(isPaid ? [200, 402] : [401]).toContain(answer.status)
              if (answer.status !== 200) continue
              if (what !== 'answer') spent.push(body.usage.cost)
              // Answered again, it is the same answer and the same cost.
              else if (answeredUsd === null) answeredUsd = body.usage.cost
              else expect(body.usage.cost).toBe(answeredUsd)
            }
          }
          if (paidCount === 0) continue
          // Nothing left has no sign.
          const left = sum([paidCount * 0.1, -sum(spent), -sum(moved), -(answeredUsd ?? 0)]) + 0
          expect(await balanceOf(l402(pair))).toBe(left)
          expect(left).toBeGreaterThanOrEqual(0)
          expect(await balanceOf(bearer(creditId))).toBe(sum(moved))
        }
      })
      await fc.assert(life, { numRuns: LIFE_COUNT })
      await expectBooksToAgree()
    }, 60_000)

    test('no secret of it is stored in clear', async () => {
      const { token, preimage } = await buy()
      await (await ask(l402({ token, preimage }))).text()
      const { tokenId = Buffer.alloc(0) } = readToken(token) ?? {}
      const { kysely } = site.site.database
      const { rows: tables } = await sql<{ name: string }>`
      select table_name as name from information_schema.tables where table_schema = current_schema()`.execute(
        kysely,
      )
      const kept = await Promise.all(
        tables.map(({ name }) =>
          sql<{ text: string }>`select t::text as text from ${sql.table(name)} t`.execute(kysely),
        ),
      )
      const dump = kept.flatMap(({ rows }) => rows.map(({ text }) => text)).join('\n')
      expect(dump).toContain(hashSecret(`l402 ${tokenId.toString('base64url')}`))
      for (const secret of [
        token,
        tokenId.toString('hex'),
        tokenId.toString('base64'),
        tokenId.toString('base64url'),
      ])
        expect(dump).not.toContain(secret)
    })
  })

  describe('the MCP server, with the official client', () => {
    const clients: Client[] = []
    afterEach(async () => {
      for (const client of clients.splice(0)) await client.close()
    })

    async function connect(headers: Record<string, string> = {}): Promise<Client> {
      const client = new Client({ name: 'test', version: '1' })
      const address = new URL(`${site.url}/mcp`)
      await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }))
      clients.push(client)
      return client
    }

    async function use(client: Client, name: string, given: Record<string, unknown> = {}) {
      const {
        structuredContent,
        content,
        isError = false,
      } = await client.callTool({ name, arguments: given })
      const result = (structuredContent ?? null) as Record<string, never> | null
      if (result) expect(content).toEqual([{ type: 'text', text: JSON.stringify(result) }])
      return { result, isError, text: JSON.stringify(content) }
    }

    test('lists its tools, none of which spends', async () => {
      const { tools } = await (await connect()).listTools()
      expect(tools.map(({ name }) => name)).toEqual([
        ...['list_models', 'estimate_cost', 'get_balance', 'top_up', 'get_usage'],
      ])
      for (const { description, inputSchema, annotations } of tools) {
        expect(description?.length).toBeGreaterThan(80)
        expect(inputSchema.type).toBe('object')
        expect(annotations?.destructiveHint).toBe(false)
      }
      expect(tools.find(({ name }) => name === 'top_up')?.inputSchema.required).toEqual(['amount'])
    })

    test('lists models and prices requests without a credential', async () => {
      const client = await connect()
      const { result } = await use(client, 'list_models', { q: 'SMALL', type: 'chat', max_price: 1 })
      expect(result).toEqual({
        models: [expect.objectContaining({ id: 'standin/small', type: 'chat', pricing: expect.anything() })],
        total_count: 1,
      })
      const chat = { ...WHOLE_QUESTION, max_tokens: 1_000 }
      const estimate = await use(client, 'estimate_cost', { call: 'chat', request: chat })
      const { bound_usd: bound = 0, likely_usd: likely = 0 } = estimate.result ?? {}
      // The dearer of the two by far is the longest answer, at two dollars for a million tokens.
      expect(bound).toBeGreaterThanOrEqual(0.002)
      expect(likely).toBeGreaterThanOrEqual(0.0008)
      expect(likely).toBeLessThan(bound)
      const listed = { ...chat, model: undefined, models: [chat.model] }
      expect(await use(client, 'estimate_cost', { call: 'chat', request: listed })).toEqual(estimate)
      const { error } = await (await ask({}, chat)).json()
      expect(error.required_usd).toBe(bound)
      const picture = await use(client, 'estimate_cost', { call: 'images', request: PICTURE })
      expect(picture.result).toMatchObject({ bound_usd: 0.04, likely_usd: 0.04 })
    })

    test('counts no long text that nobody pays for, whose speech is charged by the token', async () => {
      const client = await connect()
      const boundFor = async (input: string) => {
        const request = { model: 'standin/voice', voice: 'alloy', input }
        return (await use(client, 'estimate_cost', { call: 'speech', request })).result?.bound_usd
      }
      // At $0.00001 a token: "Hi" is one, and a longer text has at most as many as bytes.
      expect(await boundFor('Hi')).toBeCloseTo(0.00001, 9)
      expect(await boundFor('語'.repeat(5_000))).toBeCloseTo(0.15, 9)
    })

    test('counts the search of a model that searches for every answer as likely', async () => {
      const client = await connect()
      const request = { ...WHOLE_QUESTION, model: 'standin/large' }
      const likelyUsd = async () => {
        const { result } = await use(client, 'estimate_cost', { call: 'chat', request })
        return Number(result?.likely_usd)
      }
      const withoutSearch = await likelyUsd()
      const { catalogue } = site.site
      const findModel = async (name: string) => {
        const model = await catalogue.findModel(name)
        const webSearch = { coefficient: 1n, scale: 2 }
        return model && { ...model, id: 'vendor/sonar', prices: { ...model.prices, webSearch } }
      }
      await site.during(
        { catalogue: { ...catalogue, findModel, isAnswering: async () => true } },
        async () => {
          expect(await likelyUsd()).toBeCloseTo(withoutSearch + 0.01, 9)
        },
      )
    })

    test('shows balance and usage of the connected credential, and creates invoices for it', async () => {
      const pair = await buy()
      const answer = await (await ask(l402(pair))).json()
      const headers = [l402(pair), { 'x-api-key': `${pair.token}:${pair.preimage}` }]
      for (const header of headers) {
        const { result } = await use(await connect(header), 'get_balance')
        expect(result).toEqual({
          balance_usd: answer.usage.balance_usd,
          held_usd: 0,
          available_usd: answer.usage.balance_usd,
          debt_usd: 0,
        })
      }
      const client = await connect(l402(pair))
      const usage = await use(client, 'get_usage', { limit: 5, model: 'standin/small' })
      expect(usage.result).toMatchObject({ data: [{ price_in_usd: answer.usage.cost }], next_cursor: null })
      const invoice = await use(client, 'top_up', { amount: 250, currency: 'SATS' })
      expect(invoice.result).toMatchObject({ amount_usd: 0.25, method: 'btc-lightning' })
      const before = await balanceOf(l402(pair))
      await post(`/topup/sandbox/${invoice.result?.invoice_id}/pay`, {})
      expect(await balanceOf(l402(pair))).toBeCloseTo(before + 0.25, 9)
    })

    test('counts an unknown credential as a guess', async () => {
      const taken: string[] = []
      const rateLimits = { take: async (name: string) => void taken.push(name) }
      const client = await connect(bearer(`sk-${randomUUID()}`))
      await site.during({ rateLimits }, async () => {
        expect((await use(client, 'get_balance')).isError).toBe(true)
      })
      expect(taken).toEqual(['agent_call', 'unknown_credential'])
    })

    test('reports errors with the sentences of the API alone', async () => {
      const unknown = `sk-${randomUUID()}`
      const client = await connect(bearer(unknown))
      const nobody = await connect()
      const attempts: [Client, string, Record<string, unknown>, string][] = [
        [client, 'get_balance', {}, 'invalid_credential'],
        [nobody, 'get_balance', {}, 'invalid_credential'],
        [nobody, 'top_up', { amount: 1 }, 'invalid_credential'],
        [nobody, 'get_usage', {}, 'invalid_credential'],
        [
          nobody,
          'estimate_cost',
          { call: 'chat', request: { model: 'no/such', messages: QUESTION.messages } },
          'model_not_found',
        ],
        [
          nobody,
          'estimate_cost',
          { call: 'chat', request: { model: 'standin/small', n: -1 } },
          'invalid_request',
        ],
      ]
      for (const [asker, name, given, code] of attempts) {
        const { isError, result, text } = await use(asker, name, given)
        expect([isError, result?.error]).toEqual([true, { code, message: expect.any(String) }])
        expect(text).not.toContain(unknown)
      }
      const odd = [{ limit: 0 }, { limit: 'x' }, { type: 'nothing' }, { q: 'x'.repeat(300) }]
      for (const given of odd)
        expect(await use(nobody, 'list_models', given)).toMatchObject({ isError: true, result: null })
      const down = {
        ...site.site.ledger,
        getBalance: async () => Promise.reject(new Error('at db.secret.internal')),
      }
      const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true)
      await site.during({ ledger: down }, async () => {
        const { text } = await use(client, 'get_balance')
        expect(text).toContain('internal_error')
        expect(text).not.toContain('secret')
      })
      said.mockRestore()
    })

    test('refuses pages of other sites and unknown host names', async () => {
      const send = (
        headers: Record<string, string>,
        body: unknown = { jsonrpc: '2.0', id: 1, method: 'ping' },
      ) =>
        answerApi(
          new Request('http://rebound.test/mcp', {
            method: 'POST',
            headers: {
              ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
              ...headers,
            },
            body: typeof body === 'string' ? body : JSON.stringify(body),
          }),
        )
      const own = await send({})
      expect([own.status, own.headers.get('cache-control')]).toEqual([200, 'no-store'])
      expect((await send({ host: 'localhost:3000', origin: 'http://localhost:3000' })).status).toBe(200)
      const rebound = { host: 'rebound.test', origin: 'http://rebound.test', 'sec-fetch-site': 'same-origin' }
      expect((await send(rebound)).status).toBe(403)
      const foreign = { ...bearer(site.apiKey), host: 'rebound.test', origin: 'https://evil.test' }
      expect((await send(foreign)).status).toBe(403)
      expect((await send({ ...foreign, origin: 'null' })).status).toBe(403)
      for (const body of ['[]', '{', '{"jsonrpc":"1.0"}', `[${'[],'.repeat(50_000)}[]]`])
        expect((await send({}, body)).status).toBe(400)
      expect((await send({}, { jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202)
      const get = await fetch(`${site.url}/mcp`)
      expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
    })
  })
})
