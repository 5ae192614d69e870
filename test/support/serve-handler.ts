import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'

/** Answers a request, or null when no route is there. */
export type RequestHandler = (request: Request) => Promise<Response> | null

export interface ServedHandler {
  /** Without a slash at its end. */
  url: string
  close(): Promise<void>
}

/**
 * Serves route handlers over real HTTP without Next: what arrives, leaves and breaks off does so on a
 * real connection.
 */
export async function serveHandler(handler: RequestHandler): Promise<ServedHandler> {
  const server = createServer((message, response) => {
    answer(message, response, handler).catch(error => response.destroy(error))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = new Promise<void>(resolve => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

async function answer(
  message: IncomingMessage,
  response: ServerResponse,
  handler: RequestHandler,
): Promise<void> {
  const gone = new AbortController()
  response.on('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  const reply = handler(toRequest(message, gone.signal))
  if (reply === null) {
    response.writeHead(404).end()
    return
  }
  const { status, headers, body } = await reply
  response.writeHead(status, Object.fromEntries(headers))
  if (!body) return void response.end()
  const reader = body.getReader()
  gone.signal.addEventListener('abort', () => void reader.cancel().catch(() => {}))
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    if (!response.write(value)) await drained(response)
  }
  response.end()
}

function toRequest(message: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers()
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    headers.append(message.rawHeaders[index] ?? '', message.rawHeaders[index + 1] ?? '')
  }
  const method = message.method ?? 'GET'
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const init: RequestInit & { duplex?: 'half' } = { method, headers, signal }
  if (hasBody) {
    init.body = Readable.toWeb(message) as ReadableStream<Uint8Array>
    init.duplex = 'half'
  }
  return new Request(`http://${message.headers.host}${message.url}`, init)
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    response.once('drain', resolve)
    response.once('close', resolve)
  })
}
