import 'server-only'
import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import { urlToHttpOptions } from 'node:url'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { isStillSilent } from '@/lib/http/is-still-silent'
import { UpstreamFailure } from './ask-upstreams'

/**
 * A connection that has been idle for longer is not used again. Most servers close idle connections after five seconds,
 * and a request that is sent at that moment fails and cannot be repeated, since nobody knows whether it was read.
 */
const IDLE_CONNECTION_MS = 4_000

/** Node's own client needs half the CPU time of `fetch` for each chunk, and never follows a redirect. */
const AGENT_OPTIONS = {
  keepAlive: true,
  noDelay: true,
  scheduling: 'lifo',
  timeout: IDLE_CONNECTION_MS,
} as const
const httpAgent = new http.Agent(AGENT_OPTIONS)
const httpsAgent = new https.Agent(AGENT_OPTIONS)

export interface SendInput {
  upstream: UpstreamSettings
  /** Below the upstream's base URL: `/chat/completions`. */
  path: string
  /** In one piece, or in parts that are sent in order. */
  body: Buffer | readonly Uint8Array[]
  /** Added to the headers for JSON with a bearer token, or replacing them. Names are in lower case. */
  headers?: Readonly<Record<string, string>>
  connectTimeoutMs: number
  firstByteTimeoutMs: number
  signal: AbortSignal
  /** Called once the whole request has been sent: from then on the upstream may have begun its answer, and may bill. */
  onSent?: () => void
}

/** The address of each base URL in the form that Node's client takes. An operator has only a few upstreams. */
const hosts = new Map<string, RequestOptions & { path: string }>()

function hostAt(baseUrl: string): RequestOptions & { path: string } {
  const url = new URL(baseUrl)
  const { protocol, hostname, port, auth } = urlToHttpOptions(url)
  const host = { protocol, hostname, port, auth, path: url.pathname.replace(/\/$/, '') }
  hosts.set(baseUrl, host)
  return host
}

/**
 * Posts a body to an upstream, as JSON unless `headers` says otherwise, and resolves with the response, its body
 * paused. No header of our own caller is passed on, and nothing is ever sent twice.
 * @throws UpstreamFailure, or the signal's reason if it is aborted
 */
export function sendUpstream(input: SendInput): Promise<IncomingMessage> {
  const { upstream, signal } = input
  const parts = Buffer.isBuffer(input.body) ? [input.body] : input.body
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const host = hosts.get(upstream.baseUrl) ?? hostAt(upstream.baseUrl)
    const secure = host.protocol === 'https:'
    let isSent = false
    const request = (secure ? https : http).request({
      ...host,
      path: host.path + input.path,
      method: 'POST',
      agent: secure ? httpsAgent : httpAgent,
      headers: {
        'content-type': 'application/json',
        'content-length': parts.reduce((sum, part) => sum + part.byteLength, 0),
        accept: 'application/json, text/event-stream',
        'accept-encoding': 'identity',
        ...(upstream.apiKey ? { authorization: `Bearer ${upstream.apiKey}` } : {}),
        ...input.headers,
      },
    })
    const stopTimers = startTimers(request, input)
    const onAbort = () => request.destroy(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    const stopWaiting = () => {
      stopTimers()
      signal.removeEventListener('abort', onAbort)
    }
    request.on('finish', () => {
      isSent = true
      input.onSent?.()
    })
    request.on('response', response => {
      stopWaiting()
      response.pause()
      // A response that nobody reads any more may still fail. Without a listener that would crash the process.
      response.on('error', () => {})
      resolve(response)
    })
    request.on('error', error => {
      stopWaiting()
      reject(signal.aborted ? signal.reason : failureOf(error, isSent))
    })
    for (const part of parts.slice(0, -1)) request.write(part)
    request.end(parts.at(-1))
  })
}

function startTimers(request: ClientRequest, input: SendInput): () => void {
  const giveUp = (message: string, mayBill: boolean) =>
    request.destroy(new UpstreamFailure('timeout', message, { mayBill }))
  const connectTimer = setTimeout(
    () => giveUp('The upstream could not be reached in time.', false),
    input.connectTimeoutMs,
  )
  let isOver = false
  const firstByteTimer = setTimeout(async () => {
    if (await isStillSilent(() => Number(isOver))) giveUp('The upstream did not answer in time.', true)
  }, input.firstByteTimeoutMs)
  request.on('socket', socket => {
    // The agent's time-out is for idle connections. A host that takes long to answer must not run into it.
    socket.setTimeout(0)
    const ready = () => clearTimeout(connectTimer)
    // A busy host may accept a connection and not get round to its TLS handshake. Until then it has read nothing.
    if (socket.connecting) socket.once(request.protocol === 'https:' ? 'secureConnect' : 'connect', ready)
    else ready()
  })
  return () => {
    isOver = true
    clearTimeout(connectTimer)
    clearTimeout(firstByteTimer)
  }
}

function failureOf(error: Error, isSent: boolean): Error {
  if (error instanceof UpstreamFailure) return error
  const { code = error.name } = error as NodeJS.ErrnoException
  return new UpstreamFailure('refused', `The upstream could not be reached, or broke off (${code}).`, {
    cause: error,
    mayBill: isSent,
  })
}
