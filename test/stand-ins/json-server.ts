import { createServer, type IncomingHttpHeaders } from 'node:http'
import { tryParseJson } from '@/lib/http/domain/try-parse-json'
import { listen } from '../support/listen'

export interface JsonServerRequest {
  method: string
  /** Without the query. */
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  text: string
  /** Null if the text is not JSON. */
  body: unknown
}

export interface JsonAnswer {
  status: number
  body: unknown
}

/** A small HTTP server on loopback that answers in JSON: the basis of the stand-ins for other services. */
export async function startJsonServer(input: {
  port?: number
  answer: (request: JsonServerRequest) => JsonAnswer | Promise<JsonAnswer>
}): Promise<{ url: string; stop: () => Promise<void> }> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString('utf8')
    const address = new URL(request.url ?? '/', 'http://localhost')
    const { status, body } = await input.answer({
      method: request.method ?? 'GET',
      path: address.pathname,
      query: address.searchParams,
      headers: request.headers,
      text,
      body: tryParseJson(text) ?? null,
    })
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  const { port, stop } = await listen(server, { port: input.port })
  return { url: `http://127.0.0.1:${port}`, stop }
}
