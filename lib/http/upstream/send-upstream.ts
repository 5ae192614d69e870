import 'server-only'
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { UpstreamFailure } from './upstream-failure'

/** Node's own client: half the work per chunk of `fetch`, and it never follows a redirect. */
const httpAgent = new http.Agent({ keepAlive: true, noDelay: true, scheduling: 'lifo' })
const httpsAgent = new https.Agent({ keepAlive: true, noDelay: true, scheduling: 'lifo' })

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
}

/**
 * Posts JSON, or what `headers` says, to an upstream and resolves with its response, whose body is paused. None of the client's
 * headers goes along. @throws UpstreamFailure, or the signal's reason when it was aborted
 */
export async function sendUpstream(input: SendInput): Promise<IncomingMessage> {
  try {
    return await sendOnce(input, { fresh: false })
  } catch (error) {
    if (!(error instanceof StaleConnectionError)) throw error
    return await sendOnce(input, { fresh: true })
  }
}

/** A kept connection that the upstream had closed in the meantime; nothing of the request was seen. */
class StaleConnectionError extends Error {
  override readonly name = 'StaleConnectionError'
}

function sendOnce(input: SendInput, { fresh }: { fresh: boolean }): Promise<IncomingMessage> {
  const { upstream, signal } = input
  const parts = Buffer.isBuffer(input.body) ? [input.body] : input.body
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const url = new URL(`${upstream.baseUrl}${input.path}`)
    const secure = url.protocol === 'https:'
    const request = (secure ? https : http).request(url, {
      method: 'POST',
      agent: fresh ? false : secure ? httpsAgent : httpAgent,
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
    request.on('response', response => {
      settled()
      response.pause()
      // A response that is given up may still fail; that must not end the process.
      response.on('error', () => {})
      resolve(response)
    })
    request.on('error', error => {
      settled()
      reject(signal.aborted ? signal.reason : failureOf(error, request))
    })
    for (const part of parts.slice(0, -1)) request.write(part)
    request.end(parts.at(-1))
  })
}

function startTimers(request: ClientRequest, input: SendInput): () => void {
  const give = (message: string) => request.destroy(new UpstreamFailure('timeout', message))
  const connectTimer = setTimeout(
    () => give('The upstream could not be reached in time.'),
    input.connectTimeoutMs,
  )
  const firstByteTimer = setTimeout(
    () => give('The upstream did not answer in time.'),
    input.firstByteTimeoutMs,
  )
  request.on('socket', socket => {
    const ready = () => clearTimeout(connectTimer)
    if (socket.connecting) socket.once('connect', ready)
    else ready()
  })
  return () => {
    clearTimeout(connectTimer)
    clearTimeout(firstByteTimer)
  }
}

function failureOf(error: Error & { code?: string }, request: ClientRequest): Error {
  if (error instanceof UpstreamFailure) return error
  const closed = error.code === 'ECONNRESET' || error.code === 'EPIPE'
  if (closed && request.reusedSocket) return new StaleConnectionError()
  return new UpstreamFailure('refused', 'The upstream could not be reached.', { cause: error })
}
