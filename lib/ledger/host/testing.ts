import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

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

export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}
