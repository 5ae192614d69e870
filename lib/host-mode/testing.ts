import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { jest } from '@jest/globals'
import { listen } from '@/test/support/listen'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A payments host for tests, over real HTTP. */
export class TestHost {
  answer: Answer = (_request, response) => response.writeHead(500).end('{}')
  requestCount = 0
  baseUrl = ''
  #stop = async () => {}

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
    const server = createServer((request, response) => {
      this.requestCount += 1
      this.answer(request, response)
    })
    const { port, stop } = await listen(server)
    this.baseUrl = `http://127.0.0.1:${port}`
    this.#stop = stop
  }

  stop(): Promise<void> {
    return this.#stop()
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
