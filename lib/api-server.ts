import 'server-only'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerApi } from './api/application'
import { API_SEGMENTS } from './http/api-segments'
import { nodeListener } from './http/node-server'
import { apiHeaders } from './http/static-headers'

export { startServices } from './start-services'

/** Those that route handlers of Next answer with the application; whatever else there is, Next knows. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'])
const SEGMENTS: ReadonlySet<string> = new Set(API_SEGMENTS)

/** A path that stands for itself: Next redirects the others to what they come to, or to nothing. */
const PLAIN_PATH = /^(?:\/(?!\.|%2e)[^/\\?#]+)+(?:\?[^#]*)?$/i

const listener = nodeListener(answerApi, ({ headers }) =>
  apiHeaders({ isHttps: headers['x-forwarded-proto'] === 'https' }),
)

/**
 * The API as scripts/server.ts mounts it, without Next between it and the socket; on Vercel, and in
 * development, the same application answers inside Next's route handlers (app/(api)).
 * @returns whether the request is the API's
 */
export function listenAsApi(message: IncomingMessage, response: ServerResponse): boolean {
  const { method = '', url = '' } = message
  const segment = /^\/([^/?]*)/.exec(url)?.[1] ?? ''
  if (!SEGMENTS.has(segment) || !METHODS.has(method) || !PLAIN_PATH.test(url)) return false
  listener(message, response)
  return true
}
