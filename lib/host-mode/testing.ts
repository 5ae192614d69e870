import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { jest } from '@jest/globals'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A payments host for tests, over real HTTP. */
export class TestHost {
  readonly #server: Server
  answer: Answer = (_request, response) => response.writeHead(500).end('{}')
  requestCount = 0

  constructor() {
    this.#server = createServer((request, response) => {
      this.requestCount += 1
      this.answer(request, response)
    })
  }

  /** Answers as a route does; `verb` is the last segment of the path. */
  answerWith(handle: (request: Request, verb: string) => Promise<Response>): void {
    this.answer = async (incoming, response) => {
      const method = incoming.method ?? 'GET'
      const headers = { authorization: incoming.headers.authorization ?? '' }
      const body = method === 'GET' ? undefined : await readBody(incoming)
      const request = new Request(`http://host.test${incoming.url}`, { method, headers, body })
      const answer = await handle(request, incoming.url?.split('/').at(-1) ?? '')
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    }
  }

  async start(): Promise<void> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
  }

  get baseUrl(): string {
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}

/** Requests time out when the test says so, independently of the machine's speed. */
export function holdTimeouts() {
  const timers: AbortController[] = []
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const timer = new AbortController()
    timers.push(timer)
    return timer.signal
  })
  /** The time of the latest request is over. */
  const runOut = () => timers.at(-1)?.abort(new DOMException('The time is over.', 'TimeoutError'))
  return { timeout, runOut }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}
