import { commonMp3 } from '@/test/fixtures/recordings/frames'
import type { SecretName } from './canary-secrets'

/** A person at a deployment, with everything of theirs that is secret. */
export interface Visitor {
  /** Of the deployment that they use. */
  baseUrl: string
  creditId: string
  apiKey: string
  refillToken: string
  /** The session of somebody who has signed in. */
  cookie: string
}

export interface Call {
  method: string
  path: string
  headers: Record<string, string>
  body?: string | FormData
  /** The caller's own secrets that the answer is there to tell. */
  tells?: readonly SecretName[]
}

const JSON_TYPE = { 'content-type': 'application/json' }
const MESSAGES = [{ role: 'user', content: 'A canary question' }]

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
const get = (path: string, headers: Call['headers'] = {}): Call => ({ method: 'GET', path, headers })
const post = (path: string, body: object, headers: Call['headers'] = {}): Call => ({
  method: 'POST',
  path,
  headers: { ...JSON_TYPE, ...headers },
  body: JSON.stringify(body),
})

/** Every kind of paid call, from each of the hosts, as a stream and as a whole. */
export function paidCalls({ apiKey }: Visitor): Call[] {
  const pay = (path: string, body: object) => post(path, body, bearer(apiKey))
  const transcribe = (model: string): Call => {
    const body = new FormData()
    body.set('model', model)
    body.set('file', new Blob([Buffer.from(commonMp3(9))], { type: 'audio/mpeg' }), 'voice.mp3')
    return { method: 'POST', path: '/v1/audio/transcriptions', headers: bearer(apiKey), body }
  }
  return [
    ...[true, false].flatMap(stream => [
      pay('/v1/chat/completions', { model: 'standin/small', messages: MESSAGES, stream }),
      pay('/v1/chat/completions', { model: 'second/small', messages: MESSAGES, stream }),
      pay('/v1/responses', { model: 'standin/small', input: 'A canary question', stream }),
      pay('/v1/messages', { model: 'standin/small', messages: MESSAGES, max_tokens: 5, stream }),
    ]),
    pay('/v1/completions', { model: 'standin/small', prompt: 'A canary question' }),
    pay('/v1/embeddings', { model: 'standin/embedder', input: 'A canary question' }),
    pay('/v1/images/generations', { model: 'standin/painter', prompt: 'A canary' }),
    pay('/v1/audio/speech', { model: 'standin/reader', voice: 'alloy', input: 'A canary' }),
    pay('/v1/audio/speech', {
      model: 'elevenlabs/eleven_flash_v2_5',
      voice: 'JBFqnCBsd6RMkjVDRZzb',
      input: 'A canary',
    }),
    transcribe('standin/whisper'),
    transcribe('elevenlabs/scribe_v2'),
  ]
}

/** What a person and a program do besides paid calls, with every form of credential. */
export function otherCalls({ baseUrl, creditId, apiKey, refillToken, cookie }: Visitor): Call[] {
  const session = { cookie, origin: baseUrl, 'sec-fetch-site': 'same-origin' }
  const tool = (name: string, input: object) =>
    post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } },
      { ...bearer(apiKey), accept: 'application/json, text/event-stream' },
    )
  const event = { type: 'page_view', path: `/account?credit_id=${creditId}`, count: 1 }
  return [
    { ...get(`/api/payments/account/${creditId}/credit`), tells: ['credit_id'] },
    post('/credits/balance', { credit_id: creditId }),
    get('/v1/models', bearer(apiKey)),
    get('/v1/audio/voices'),
    get('/topup/payment-methods'),
    post('/topup/create/btc-lightning', { amount: 10 }, bearer(creditId)),
    post('/topup/create/card', { amount: 10 }, { 'x-api-key': apiKey }),
    get('/topup/refill', bearer(refillToken)),
    post('/topup/refill/create/card', { amount: 10 }, bearer(refillToken)),
    post('/keys', { label: 'Canary' }, bearer(creditId)),
    get('/keys', { 'x-credit-id': creditId }),
    get('/queries/history?format=csv', { 'api-key': apiKey }),
    get('/api/v1/key', bearer(apiKey)),
    tool('list_models', {}),
    tool('get_balance', {}),
    tool('get_usage', {}),
    tool('top_up', { amount: 10 }),
    tool('estimate_cost', { call: 'chat', request: { model: 'standin/small', messages: MESSAGES } }),
    post('/v1/chat/completions', { model: 'standin/small', messages: MESSAGES }),
    { ...post('/api/account/credit', { credit_id: creditId }, session), tells: ['credit_id'] },
    { ...get('/api/account/credit', session), tells: ['credit_id'] },
    post('/auth/begin', { email: `${apiKey}@example.com`, return_path: `/?${creditId}` }, session),
    post('/api/telemetry', { visit: 1, started_at: 1, events: [event] }, session),
    get('/.well-known/jwks.json'),
  ]
}

/** Pages, as a browser with a session asks for them. They tell whose session it is. */
export function pages({ cookie }: Visitor): Call[] {
  return ['/', '/de/pricing', '/account', '/top-up', '/refill'].map(path => ({
    ...get(path, { cookie, accept: 'text/html' }),
    tells: ['email'],
  }))
}

/** Requests with a mistake, and a secret where it does not belong. */
export function mistakes({ creditId, apiKey, refillToken }: Visitor): Call[] {
  const bodies = [
    `{"credit_id":"${creditId}`,
    `{"model":"${apiKey}","messages":"${creditId}","input":"${refillToken}","amount":"${creditId}"}`,
    `["${creditId} ${apiKey} ${refillToken}"]`,
    `--${creditId}\r\ncontent-disposition: form-data; name="${apiKey}"`,
  ]
  const paths = [
    '/v1/chat/completions',
    '/v1/messages',
    '/v1/audio/transcriptions',
    '/keys',
    '/accounts/merge',
  ]
  const types = [JSON_TYPE['content-type'], `multipart/form-data; boundary=${creditId}`]
  const values = [`${creditId} ${apiKey}`, `${creditId}0`, `L402 ${apiKey}`, `Payment ${creditId}`]
  return [
    ...paths.flatMap(path =>
      types.flatMap(type =>
        bodies.map(body => ({
          method: 'POST',
          path,
          headers: { ...bearer(creditId), 'content-type': type },
          body,
        })),
      ),
    ),
    ...values.flatMap(value => [
      get('/keys', { authorization: value }),
      get('/queries/history', { 'x-api-key': value }),
    ]),
  ]
}

/** Addresses with a secret in place of an id. */
export function wrongAddresses({ creditId, apiKey, refillToken, cookie }: Visitor): Call[] {
  const addresses = [
    `/keys/${creditId}`,
    `/v1/models/${apiKey}`,
    `/topup/status/${refillToken}`,
    `/queries/history?cursor=${apiKey}&from=${creditId}`,
    `/v1/${creditId}`,
  ]
  return addresses.map(path => get(path, { ...bearer(creditId), cookie }))
}
