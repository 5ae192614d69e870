import { createServer } from 'node:http'
import type { ObservedHandler } from '@/lib/http/handle-api'
import { nodeListener } from '@/lib/http/node-server'
import { listen } from './listen'

/** Answers a request, or returns null if there is no route. */
export type RequestHandler = (request: Request) => Promise<Response> | null

export interface ServedHandler {
  /** Without a trailing slash. */
  url: string
  close(): Promise<void>
}

/**
 * Serves route handlers over real HTTP like the self-hosted server, without the headers that all its answers have:
 * requests and answers arrive, and break off, on a real connection.
 */
export function serveHandler(handler: RequestHandler, stallTimeoutMs?: number): Promise<ServedHandler> {
  const answer: ObservedHandler = async request => ({
    response: (await handler(request)) ?? new Response(null, { status: 404 }),
    recordEnd() {},
  })
  return serveObserved(answer, stallTimeoutMs)
}

export async function serveObserved(
  answer: ObservedHandler,
  stallTimeoutMs?: number,
): Promise<ServedHandler> {
  const server = createServer(nodeListener(answer, () => ({}), stallTimeoutMs))
  const { port, stop } = await listen(server)
  return { url: `http://127.0.0.1:${port}`, close: stop }
}
