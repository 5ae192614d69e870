import { createHash, randomBytes } from 'node:crypto'
import { untilNoticed } from './books'
import type { BilledSite } from './site'

export interface CallOptions {
  headers?: Record<string, string>
  signal?: AbortSignal
}

const USUAL_QUESTION = { model: 'standin/small', messages: [{ role: 'user', content: 'Say hello.' }] }

/** Somebody with a credential, who knows the site only by its address. */
export class Caller {
  readonly #url: string
  readonly accountId: string
  readonly secret: string
  readonly keyId: string | null

  constructor(input: { url: string; accountId: string; secret: string; keyId?: string }) {
    this.#url = input.url
    this.accountId = input.accountId
    this.secret = input.secret
    this.keyId = input.keyId ?? null
  }

  /** The same account through a key of its own. */
  async createKey(limitUsd: number | null = null, settings: object = {}): Promise<Caller> {
    const response = await this.post('/keys', {
      label: 'test',
      ...(limitUsd !== null && { usage_limit_usd: limitUsd }),
      ...settings,
    })
    const { id: keyId, key } = await response.json()
    if (!response.ok) throw new Error(`No key: ${response.status}`)
    return new Caller({ url: this.#url, accountId: this.accountId, secret: key, keyId })
  }

  async changeKey({ keyId }: Caller, change: object): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    const response = await this.send('PATCH', `/keys/${keyId}`, JSON.stringify(change), { headers })
    if (!response.ok) throw new Error(`No change: ${response.status}`)
  }

  send(
    method: string,
    path: string,
    body?: BodyInit,
    { headers, signal }: CallOptions = {},
  ): Promise<Response> {
    const credential = { authorization: `Bearer ${this.secret}`, 'x-client-address': this.accountId }
    return fetch(`${this.#url}${path}`, { method, body, signal, headers: { ...credential, ...headers } })
  }

  post(path: string, body: object, options: CallOptions = {}): Promise<Response> {
    const headers = { 'content-type': 'application/json', ...options.headers }
    return this.send('POST', path, JSON.stringify(body), { ...options, headers })
  }

  chat(body: object = {}, options: CallOptions = {}): Promise<Response> {
    return this.post('/v1/chat/completions', { ...USUAL_QUESTION, ...body }, options)
  }

  draw(body: object = {}, options: CallOptions = {}): Promise<Response> {
    return this.post(
      '/v1/images/generations',
      { model: 'standin/painter', prompt: 'A copper coin', ...body },
      options,
    )
  }

  embed(body: object = {}, options: CallOptions = {}): Promise<Response> {
    return this.post(
      '/v1/embeddings',
      { model: 'standin/embedder', input: 'A copper coin', ...body },
      options,
    )
  }

  speak(body: object = {}, options: CallOptions = {}): Promise<Response> {
    const request = { model: 'standin/reader', voice: 'alloy', input: 'Read this aloud, and take your time.' }
    return this.post('/v1/audio/speech', { ...request, ...body }, options)
  }

  transcribe(
    recording: Uint8Array<ArrayBuffer>,
    fields: Record<string, string> = {},
    options: CallOptions = {},
  ) {
    const form = new FormData()
    for (const [name, value] of Object.entries({ model: 'standin/whisper', ...fields })) form.set(name, value)
    form.set('file', new Blob([recording]), 'voice.wav')
    return this.send('POST', '/v1/audio/transcriptions', form, options)
  }

  /** By the name that a browser can compute before it has received a byte of the answer. */
  stop(resumeKey: string, path = '/v1/chat/completions'): Promise<Response> {
    return this.send('DELETE', `${path}/${resumeNameOf(resumeKey)}`)
  }

  resume(resumeKey: string, path = '/v1/chat/completions'): Promise<Response> {
    const headers = { 'x-resume-key': resumeKey }
    return this.send('GET', `${path}/${resumeNameOf(resumeKey)}`, undefined, { headers })
  }

  async balanceUsd(): Promise<number> {
    return (await (await this.post('/credits/balance', {})).json()).balance
  }

  /** Merges the credit of `from` into this account. */
  async merge(from: Caller): Promise<Response> {
    return this.post('/accounts/merge', { from_credit_id: from.secret })
  }
}

const resumeNameOf = (key: string) => `resume-${createHash('sha256').update(key).digest('hex')}`

export const makeResumeKey = () => randomBytes(32).toString('base64url')

/** Reads everything, or everything that is left, however it ends. */
export async function readText(response: Response | Promise<Response>): Promise<string> {
  try {
    return await new Response((await response).body).text()
  } catch {
    return ''
  }
}

/** Reads a stream up to a text, and then leaves. */
export async function readUntil(response: Response, text: string): Promise<string> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let seen = ''
  while (reader && !seen.includes(text)) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`The stream ended without ${text}: ${seen}`)
    seen += decoder.decode(value, { stream: true })
  }
  reader?.releaseLock()
  return seen
}

/** Leaves once the upstream is at its gate `mid`, and then opens the gate. */
export async function leave(
  site: BilledSite,
  call: (signal: AbortSignal) => Promise<Response>,
  path: string,
): Promise<void> {
  const abort = new AbortController()
  const reading = readText(call(abort.signal))
  await site.upstream.gates.reached('mid')
  const { ended } = await site.upstream.requestTo(path)
  abort.abort()
  await reading
  await untilNoticed(site.database, ended)
  site.upstream.gates.open('mid')
}

/** Stops once the upstream is at its gate `mid`, and then opens the gate. @returns the answer to the stop */
export async function stop(
  site: BilledSite,
  customer: Caller,
  call: (headers: Record<string, string>) => Promise<Response>,
  paths: { upstream: string; own?: string },
  lookCount?: number,
): Promise<Response> {
  const resumeKey = makeResumeKey()
  const reading = readText(call({ 'x-resume-key': resumeKey }))
  await site.upstream.gates.reached('mid')
  const { ended } = await site.upstream.requestTo(paths.upstream)
  const stopping = customer.stop(resumeKey, paths.own)
  await untilNoticed(site.database, ended, lookCount)
  site.upstream.gates.open('mid')
  await reading
  return stopping
}
