import 'server-only'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerApi } from './api/application'
import { API_SEGMENTS } from './http/api-segments'
import { nodeListener } from './http/node-server'
import { apiHeaders } from './http/static-headers'

export { clientAddress } from './http/client-address'
export { READER_STALL_TIMEOUT_MS } from './http/node-server'
export { noteUntrustedProxy } from './http/untrusted-proxy'
export { startServices } from './start-services'

const SEGMENTS: ReadonlySet<string> = new Set(API_SEGMENTS)

/** A path that is normalised except for its slashes. Next redirects any other, or answers 404. */
const PLAIN_PATH = /^(?:\/+(?!\.|%2e)[^/\\?#]+)+\/*(?:\?[^#]*)?$/i
/** As clients make them when they join a base URL and a path. */
const EXTRA_SLASHES = /(?<=\/)\/+|\/+$/g

const listener = nodeListener(answerApi, ({ headers }) =>
  apiHeaders({ isHttps: headers['x-forwarded-proto'] === 'https' }),
)

/**
 * The API as scripts/server.ts mounts it, directly on the socket. On Vercel, and in development, the same application
 * answers within Next's route handlers (app/(api)).
 * @returns whether the request is for the API
 */
export function listenAsApi(message: IncomingMessage, response: ServerResponse): boolean {
  const { url = '' } = message
  const segment = /^\/+([^/?]*)/.exec(url)?.[1] ?? ''
  if (!SEGMENTS.has(segment) || !PLAIN_PATH.test(url)) return false
  // Next would redirect, which fails as a preflight, and which many clients do not follow with a body.
  message.url = url.replace(/^[^?]*/, path => path.replaceAll(EXTRA_SLASHES, ''))
  listener(message, response)
  return true
}
