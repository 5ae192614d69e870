import 'server-only'
import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import https from 'node:https'
import { urlToHttpOptions } from 'node:url'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { UpstreamFailure } from './ask-upstreams'

/**
 * Connections that rest for longer are not used again: the usual server closes them after five seconds, and
 * a request that meets the closing cannot be repeated, since nobody knows whether it was read.
 */
const IDLE_CONNECTION_MS = 4_000

/** Node's own client: half the work per chunk of `fetch`, and it never follows a redirect. */
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
  /** In one piece, or in parts that are sent one after the other. */
  body: Buffer | readonly Uint8Array[]
  /** Beside, or in place of, those for JSON with a bearer token; names in lower case. */
  headers?: Readonly<Record<string, string>>
  connectTimeoutMs: number
  firstByteTimeoutMs: number
  signal: AbortSignal
  /** Called once the whole request has left: from then on the upstream may have begun, and bill. */
  onSent?: () => void
}

/** Where the operator's few upstreams are, as Node's client wants to be told. */
const hosts = new Map<string, RequestOptions & { path: string }>()

function hostAt(baseUrl: string): RequestOptions & { path: string } {
  const url = new URL(baseUrl)
  const { protocol, hostname, port, auth } = urlToHttpOptions(url)
  const host = { protocol, hostname, port, auth, path: url.pathname.replace(/\/$/, '') }
  hosts.set(baseUrl, host)
  return host
}

/**
 * Posts JSON, or what `headers` says, to an upstream and resolves with its response, whose body is paused.
 * None of the client's headers goes along, and nothing is ever sent twice.
 * @throws UpstreamFailure, or the signal's reason when it was aborted
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
    const settled = () => {
      stopTimers()
      signal.removeEventListener('abort', onAbort)
    }
    request.on('finish', () => {
      isSent = true
      input.onSent?.()
    })
    request.on('response', response => {
      settled()
      response.pause()
      // A response that is given up may still fail; that must not end the process.
      response.on('error', () => {})
      resolve(response)
    })
    request.on('error', error => {
      settled()
      reject(signal.aborted ? signal.reason : failureOf(error, isSent))
    })
    for (const part of parts.slice(0, -1)) request.write(part)
    request.end(parts.at(-1))
  })
}

function startTimers(request: ClientRequest, input: SendInput): () => void {
  const give = (message: string, mayBill: boolean) =>
    request.destroy(new UpstreamFailure('timeout', message, { mayBill }))
  const connectTimer = setTimeout(
    () => give('The upstream could not be reached in time.', false),
    input.connectTimeoutMs,
  )
  const firstByteTimer = setTimeout(
    () => give('The upstream did not answer in time.', true),
    input.firstByteTimeoutMs,
  )
  request.on('socket', socket => {
    // The agent's idle time is for connections at rest, not for a host that thinks.
    socket.setTimeout(0)
    const ready = () => clearTimeout(connectTimer)
    // A host that takes connections may be too busy to secure one, and has read nothing until then.
    if (socket.connecting) socket.once(request.protocol === 'https:' ? 'secureConnect' : 'connect', ready)
    else ready()
  })
  return () => {
    clearTimeout(connectTimer)
    clearTimeout(firstByteTimer)
  }
}

function failureOf(error: Error, isSent: boolean): Error {
  if (error instanceof UpstreamFailure) return error
  return new UpstreamFailure('refused', 'The upstream could not be reached.', {
    cause: error,
    mayBill: isSent,
  })
}
