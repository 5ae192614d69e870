import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { APIRequestContext } from '@playwright/test'
import { commonMp3 } from '@/test/fixtures/recordings/frames'
import { createAccount, type TestAccount } from '@/test/support/account'
import { type ApiRoute, fillPath, listApiRoutes } from '@/test/support/api-routes'
import { expect, type Send, test } from '@/test/support/test'

/** Routes with a path variable that names no owned object, and why they need no owner. */
const NAMES_NO_OBJECT: Record<string, string> = {
  'GET /models/{id}': 'public',
  'GET /v1/completions/{id}': 'an answer, which the engine finds as it does under the paths of PAID_CALLS',
  'DELETE /v1/completions/{id}': 'the same',
  'GET /v1/embeddings/{id}': 'the same',
  'DELETE /v1/embeddings/{id}': 'the same',
  'GET /completions/{id}': 'the same',
  'DELETE /completions/{id}': 'the same',
  'GET /embeddings/{id}': 'the same',
  'DELETE /embeddings/{id}': 'the same',
  'GET /v1/models/{id}': 'public',
  'POST /topup/create/{method}': 'a payment method',
  'POST /topup/refill/create/{method}': 'a payment method',
  'POST /topup/webhooks/{gateway}': 'a gateway, which signs',
  'POST /api/ledger/{verb}': 'a verb, for another deployment that holds the token',
  'POST /api/payments-host/{verb}': 'a verb, for another deployment that holds the token',
  'POST /topup/sandbox/{invoice_id}/pay': 'whoever knows an invoice may pay it; the test below says to whom',
  'GET /api/payments/account/{credit_id}/credit': 'the id is the credential itself',
}

/** Routes without a path variable, and what protects those that are private. */
const WITHOUT_VARIABLE: Record<string, 'credential' | 'public' | 'session' | 'secret'> = {
  'DELETE /api/account/credit': 'session',
  'DELETE /topup/refill/link': 'credential',
  'GET /.well-known/jwks.json': 'public',
  'GET /api/account/credit': 'session',
  'GET /api/cron/reconcile': 'secret',
  'GET /api/health': 'public',
  'GET /api/metrics': 'secret',
  'GET /api/ready': 'public',
  'GET /api/v1/auth/key': 'credential',
  'GET /api/v1/credits': 'credential',
  'GET /api/v1/generation': 'credential',
  'GET /api/v1/key': 'credential',
  'GET /api/v1/models/count': 'public',
  'GET /audio/voices': 'public',
  'GET /auth/callback': 'public',
  'GET /auth/confirm': 'public',
  'GET /embeddings/models': 'public',
  'GET /keys': 'credential',
  'GET /llms.txt': 'public',
  'GET /models': 'public',
  'GET /openapi.json': 'public',
  'GET /queries/history': 'credential',
  'GET /sandbox/upstream/v1/models': 'secret',
  'GET /topup/payment-methods': 'public',
  'GET /topup/refill': 'credential',
  'GET /topup/refill/link': 'credential',
  'GET /v1/audio/voices': 'public',
  'GET /v1/embeddings/models': 'public',
  'GET /v1/models': 'public',
  'POST /accounts/create': 'public',
  'POST /accounts/merge': 'credential',
  'POST /api/account/credit': 'session',
  'POST /api/cron/reconcile': 'secret',
  'POST /api/telemetry': 'public',
  'POST /audio/speech': 'credential',
  'POST /audio/transcriptions': 'credential',
  'POST /auth/begin': 'public',
  'POST /auth/complete': 'public',
  'POST /auth/sign-out': 'public',
  'POST /chat/completions': 'credential',
  'POST /completions': 'credential',
  'POST /credits/balance': 'credential',
  'POST /embeddings': 'credential',
  'POST /images/edits': 'credential',
  'POST /images/generations': 'credential',
  'POST /mcp': 'public',
  'POST /messages': 'credential',
  'POST /messages/count_tokens': 'credential',
  'POST /keys': 'credential',
  'POST /responses': 'credential',
  'POST /sandbox/upstream/[...path]': 'secret',
  'POST /sandbox/upstream/v1/audio/speech': 'secret',
  'POST /sandbox/upstream/v1/audio/transcriptions': 'secret',
  'POST /sandbox/upstream/v1/chat/completions': 'secret',
  'POST /sandbox/upstream/v1/embeddings': 'secret',
  'POST /sandbox/upstream/v1/images/generations': 'secret',
  'POST /sandbox/upstream/v1/messages': 'secret',
  'POST /sandbox/upstream/v1/responses': 'secret',
  'POST /topup/refill/link': 'credential',
  'POST /v1/audio/speech': 'credential',
  'POST /v1/audio/transcriptions': 'credential',
  'POST /v1/chat/completions': 'credential',
  'POST /v1/completions': 'credential',
  'POST /v1/embeddings': 'credential',
  'POST /v1/images/edits': 'credential',
  'POST /v1/images/generations': 'credential',
  'POST /v1/messages': 'credential',
  'POST /v1/messages/count_tokens': 'credential',
  'POST /v1/responses': 'credential',
}

const nameOf = ({ method, path }: ApiRoute) => `${method} ${path}`
const hasVariable = ({ path }: ApiRoute) => path.includes('{')

async function objectRoutes(request: APIRequestContext): Promise<ApiRoute[]> {
  const routes = await listApiRoutes(request)
  return routes.filter(route => hasVariable(route) && !Object.hasOwn(NAMES_NO_OBJECT, nameOf(route)))
}

const chat = { model: 'standin/small', messages: [{ role: 'user', content: 'Hello' }] }
const picture = { model: 'standin/painter', prompt: 'Hello' }
const speech = { model: 'standin/reader', voice: 'alloy', input: 'Hello' }
const text = { model: 'standin/small', prompt: 'Hello' }
const embedding = { model: 'standin/embedder', input: 'Hello' }
const message = { ...chat, max_tokens: 5 }
const response = { model: 'standin/small', input: 'Hello' }
/** Without a valid body, these routes refuse the request before they check the caller. */
const BODIES: Record<string, object> = {
  'PATCH /keys/{id}': { label: 'Taken' },
  'POST /accounts/merge': { from_credit_id: randomUUID() },
  'POST /audio/speech': speech,
  'POST /chat/completions': chat,
  'POST /completions': text,
  'POST /embeddings': embedding,
  'POST /images/generations': picture,
  'POST /messages': message,
  'POST /responses': response,
  'POST /v1/audio/speech': speech,
  'POST /v1/chat/completions': chat,
  'POST /v1/completions': text,
  'POST /v1/embeddings': embedding,
  'POST /v1/images/generations': picture,
  'POST /v1/messages': message,
  'POST /v1/responses': response,
}

/** A single pixel. */
const PNG_BASE64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const recording = formOf({
  model: 'standin/whisper',
  file: new File([Buffer.from(commonMp3(9))], 'voice.mp3', { type: 'audio/mpeg' }),
})
const edit = formOf({
  model: 'standin/editor',
  prompt: 'Hello',
  image: new File([Buffer.from(PNG_BASE64, 'base64')], 'a.png', { type: 'image/png' }),
})
/** The same for routes that take a form. */
const FORMS: Record<string, FormData> = {
  'POST /images/edits': edit,
  'POST /v1/images/edits': edit,
  'POST /audio/transcriptions': recording,
  'POST /v1/audio/transcriptions': recording,
}

/** Any answer can be fetched under each of these paths, whatever its kind. */
const PAID_CALLS = [
  '/chat/completions',
  '/messages',
  '/responses',
  '/images/generations',
  '/images/edits',
  '/audio/speech',
  '/audio/transcriptions',
].flatMap(path => [path, `/v1${path}`])

/** The same paths without an id. */
const PAYABLE =
  /^(\/v1)?\/(chat\/completions|completions|responses|messages|embeddings|images\/\w+|audio\/(speech|transcriptions))$/

type Headers = Record<string, string>

/** Every header that can carry a credential, with both kinds of credential. */
function credentialForms({ creditId, apiKey }: TestAccount): Headers[] {
  return [creditId, apiKey].flatMap((secret): Headers[] => [
    { authorization: `Bearer ${secret}` },
    { 'x-api-key': secret },
    { 'api-key': secret },
    { 'x-credit-id': secret },
  ])
}

/** A person's objects: for each first segment of a route, the ids that name them in its path. */
interface Belongings {
  account: TestAccount
  refillToken: string
  idsByRoute: Record<string, string[]>
  resumeKey: string
}

async function createBelongings(request: APIRequestContext): Promise<Belongings> {
  const account = await createAccount(request, 1)
  const headers = { authorization: `Bearer ${account.creditId}` }
  const resumeKey = randomBytes(32).toString('base64url')
  const post = async (path: string, data: unknown, more: Headers = {}) => {
    const response = await request.post(path, { headers: { ...headers, ...more }, data })
    expect(response.ok(), path).toBe(true)
    return response
  }
  const messages = [{ role: 'user', content: 'Hello' }]
  const exchange = await post(
    '/v1/chat/completions',
    { model: 'standin/small', messages },
    { 'x-resume-key': resumeKey },
  )
  const exchangeId = exchange.headers()['x-exchange-id'] ?? ''
  const key = await (await post('/keys', { label: 'Owned' })).json()
  const invoice = await (await post('/topup/create/btc-lightning', { amount: 1 })).json()
  const { token: refillToken } = await (await post('/topup/refill/link', {})).json()
  return {
    account,
    refillToken,
    resumeKey,
    idsByRoute: {
      ...Object.fromEntries(PAID_CALLS.map(path => [`${path}/{id}`, [exchangeId]])),
      '/keys/{id}': [key.id],
      '/queries/{id}': [exchangeId],
      '/queries/{id}/receipt': [exchangeId],
      '/topup/status/{invoice_id}': [invoice.invoice_id],
      '/topup/refill/status/{invoice_id}': [invoice.invoice_id],
    },
  }
}

function formOf(fields: Record<string, string | File>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

async function answerOf(
  send: Send,
  { method, path }: { method: string; path: string },
  id: string,
  headers: Headers,
) {
  const name = nameOf({ method, path })
  const data = BODIES[name]
  const { status, text } = await send(
    fillPath(path, () => id),
    {
      method,
      headers: { ...headers, ...(data && { 'content-type': 'application/json' }) },
      body: FORMS[name] ?? (data && JSON.stringify(data)),
    },
  )
  // Some responses repeat the id.
  return { status, body: text.replaceAll(id, 'the id') }
}

test('every route with an object id in its path is covered by the ownership tests', async ({ request }) => {
  const { idsByRoute } = await createBelongings(request)
  const routes = await objectRoutes(request)
  expect(routes.filter(({ path }) => !Object.hasOwn(idsByRoute, path)).map(nameOf)).toEqual([])
  expect(routes.length).toBeGreaterThanOrEqual(10)
})

test('every other route is listed in this file with what it requires, and every listed route exists', async ({
  request,
}) => {
  const routes = await listApiRoutes(request)
  const others = routes.filter(route => !hasVariable(route))
  expect(Object.keys(WITHOUT_VARIABLE).sort()).toEqual(others.map(nameOf).sort())
  const names = routes.map(nameOf)
  expect(Object.keys(NAMES_NO_OBJECT).filter(name => !names.includes(name))).toEqual([])
})

test('filtering the history by another account’s key gives the same result as an unknown key', async ({
  request,
}) => {
  const [owner, stranger] = [await createBelongings(request), await createBelongings(request)]
  const [keyId] = owner.idsByRoute['/keys/{id}'] ?? []
  for (const headers of credentialForms(stranger.account)) {
    const list = async (apiKeyId: string | undefined) =>
      (await request.get(`/queries/history?api_key_id=${apiKeyId}`, { headers })).json()
    const foreign = await list(keyId)
    expect(foreign).toEqual(await list(randomUUID()))
    for (const id of owner.idsByRoute['/queries/{id}'] ?? [])
      expect(JSON.stringify(foreign)).not.toContain(id)
  }
})

test('an id of another account gets the same response as an unknown id, with any credential', async ({
  request,
  send,
}) => {
  const owner = await createBelongings(request)
  const stranger = await createBelongings(request)
  const forms: Headers[] = [
    ...credentialForms(stranger.account),
    { authorization: `Bearer ${stranger.refillToken}` },
    // The resume key, which only the owner's browser knows, does not replace the credential.
    { authorization: `Bearer ${stranger.account.creditId}`, 'x-resume-key': owner.resumeKey },
  ]
  const routes = await objectRoutes(request)
  for (const route of routes) {
    for (const id of owner.idsByRoute[route.path] ?? []) {
      for (const headers of forms) {
        const attempt = `${nameOf(route)} with ${JSON.stringify(Object.keys(headers))}`
        const foreign = await answerOf(send, route, id, headers)
        expect([401, 403, 404], attempt).toContain(foreign.status)
        expect(foreign, attempt).toEqual(await answerOf(send, route, randomUUID(), headers))
      }
    }
  }
  // Nothing has changed, and the ids were valid: their owner can read each of them.
  const asOwner = { authorization: `Bearer ${owner.account.creditId}`, 'x-resume-key': owner.resumeKey }
  const asPayer = { authorization: `Bearer ${owner.refillToken}` }
  // The answer belongs to a chat, so the API document describes it only under the paths of chats.
  const isOfAnotherKind = (path: string) => /^(\/v1)?\/(images|audio|messages|responses)\//.test(path)
  for (const route of routes.filter(({ method, path }) => method === 'GET' && !isOfAnotherKind(path))) {
    for (const id of owner.idsByRoute[route.path] ?? []) {
      const headers = route.path.startsWith('/topup/refill/') ? asPayer : asOwner
      expect((await answerOf(send, route, id, headers)).status, nameOf(route)).toBe(200)
    }
  }
  const [keyId = ''] = owner.idsByRoute['/keys/{id}'] ?? []
  const key = await (await request.get(`/keys/${keyId}`, { headers: asOwner })).json()
  expect(key).toMatchObject({ label: 'Owned', revoked_at: null })
})

test('another account can neither read nor stop an answer in progress', async ({
  request,
  send,
  upstream,
}) => {
  const owner = await createAccount(request, 1)
  const stranger = await createAccount(request, 1)
  const steps = [{ type: 'gate', name: 'owned' } as const, { type: 'text', text: 'Untouched.' } as const]
  await upstream.setScript({ chat: { steps } })
  const resumeKey = randomBytes(32).toString('base64url')
  const resumeName = `resume-${createHash('sha256').update(resumeKey).digest('hex')}`
  const running = request.post('/v1/chat/completions', {
    headers: { authorization: `Bearer ${owner.apiKey}`, 'x-resume-key': resumeKey },
    data: { model: 'standin/small', messages: [{ role: 'user', content: 'Wait' }], stream: true },
  })
  await upstream.gateReached('owned')
  for (const headers of credentialForms(stranger)) {
    for (const method of ['GET', 'DELETE']) {
      const route = { method, path: '/v1/chat/completions/{id}' }
      const withKey = { ...headers, 'x-resume-key': resumeKey }
      expect([400, 404]).toContain((await answerOf(send, route, resumeName, headers)).status)
      expect((await answerOf(send, route, resumeName, withKey)).status).toBe(404)
    }
  }
  await upstream.openGate('owned')
  expect(await (await running).text()).toContain('Untouched.')
  const route = { method: 'GET', path: '/v1/chat/completions/{id}' }
  const asOwner = { authorization: `Bearer ${owner.apiKey}`, 'x-resume-key': resumeKey }
  expect(await answerOf(send, route, resumeName, asOwner)).toMatchObject({ status: 200 })
})

test('every private route refuses requests without a valid credential, and does not repeat the credential', async ({
  request,
  send,
}) => {
  const { creditId } = await createAccount(request, 0)
  const attempts: Headers[] = [
    {},
    { authorization: 'Bearer ' },
    { authorization: 'Bearer nonsense' },
    { authorization: `Basic ${creditId}` },
    { authorization: `Bearer ${creditId}0` },
    { 'x-credit-id': creditId.slice(0, -1) },
    { 'x-api-key': 'sk-' },
    { authorization: `Bearer ${randomUUID()}` },
    { 'api-key': `sk-${randomBytes(24).toString('base64url')}` },
    { cookie: `credit_id=${creditId}` },
  ]
  const creation = { method: 'POST', path: '/topup/create/btc-lightning' }
  const managing = (await listApiRoutes(request)).filter(
    route => WITHOUT_VARIABLE[nameOf(route)] === 'credential',
  )
  for (const route of [...(await objectRoutes(request)), ...managing, creation]) {
    for (const headers of attempts) {
      const { status, body } = await answerOf(send, route, randomUUID(), headers)
      const attempt = `${nameOf(route)} with ${JSON.stringify(headers)}`
      // Without a credential, a paid call gets 402 with instructions for paying.
      const isPayable = route.method === 'POST' && PAYABLE.test(route.path)
      const isNothingShown = Object.keys(headers).every(name => name === 'cookie')
      // Routes that manage the account refuse API keys before they look them up.
      const refusals = isPayable && isNothingShown ? [402] : [401, 'api-key' in headers ? 403 : 401]
      expect(refusals, attempt).toContain(status)
      expect(JSON.parse(body), attempt).toMatchObject({ error: { message: expect.any(String), param: null } })
      expect(body, attempt).not.toContain(creditId)
    }
  }
})

test('paying another account’s sandbox invoice credits the owner of the invoice', async ({
  request,
  balance,
}) => {
  const owner = await createAccount(request, 0)
  const stranger = await createAccount(request, 0)
  const invoice = await request.post('/topup/create/btc-lightning', {
    headers: { authorization: `Bearer ${owner.creditId}` },
    data: { amount: 2 },
  })
  const { invoice_id: invoiceId } = await invoice.json()
  const paid = await request.post(`/topup/sandbox/${invoiceId}/pay`, {
    headers: { authorization: `Bearer ${stranger.creditId}` },
  })
  expect(await paid.text()).not.toContain(owner.creditId)
  expect([await balance(owner), await balance(stranger)]).toEqual([2, 0])
})
