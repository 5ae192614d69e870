import { createServer } from 'node:http'
import { listen } from '../support/listen'

/** In front of a stand-in that answers in JSON: passes everything on, and changes the answers as it is told. */
export interface LyingProxy {
  url: string
  /** What each answer becomes, which need not be JSON any more; null tells the truth again. */
  lie(change: ((text: string) => string) | null): void
  stop(): Promise<void>
}

export async function startLyingProxy(target: string): Promise<LyingProxy> {
  let change: ((text: string) => string) | null = null
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = 'GET', url, headers } = request
    const answer = await fetch(`${target}${url}`, {
      method,
      headers: Object.entries(headers).flatMap(([name, value]): [string, string][] =>
        NOT_PASSED.includes(name) ? [] : [[name, String(value)]],
      ),
      body: method === 'GET' ? null : Buffer.concat(chunks),
    })
    const text = await answer.text()
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(change ? change(text) : text)
  })
  const { port, stop } = await listen(server)
  return {
    url: `http://127.0.0.1:${port}`,
    lie(next) {
      change = next
    },
    stop,
  }
}

/** What belongs to one connection. */
const NOT_PASSED = ['connection', 'host', 'content-length', 'transfer-encoding']
