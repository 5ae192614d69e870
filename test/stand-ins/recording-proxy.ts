import { request as askHttp, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from '../support/listen'

interface RecordedCall {
  /** `POST /v1/chat/completions` */
  name: string
  /** Everything that arrived: the address, the headers and the body. */
  text: string
}

/**
 * How it treats requests: passes them on; answers with a status and an error that repeats all that was sent, as a
 * careless service does; breaks the connection; or takes the request and never answers.
 */
export type Manner = 'pass' | 'break' | 'silence' | { echo: number; as?: 'json' | 'text' | 'events' }

/** In front of a stand-in: records everything that our server sends to it, and fails as it is told. */
export interface RecordingProxy {
  target: string
  /** With the path of the target's address. */
  url: string
  calls: RecordedCall[]
  behave(manner: Manner): void
  stop(): Promise<void>
}

export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const { origin, pathname } = new URL(target)
  const calls: RecordedCall[] = []
  let manner: Manner = 'pass'
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const text = [request.url, request.rawHeaders.join(' '), body.toString('utf8')].join('\n')
    calls.push({ name: `${request.method} ${request.url}`, text })
    if (manner === 'pass') return pass(`${origin}${request.url}`, request, body, response)
    if (manner === 'break') return void response.destroy()
    if (manner !== 'silence') echo(manner, text, response)
  })
  const { port, stop } = await listen(server)
  return {
    target,
    url: `http://127.0.0.1:${port}${pathname === '/' ? '' : pathname}`,
    calls,
    behave(next) {
      manner = next
    },
    stop,
  }
}

function pass(address: string, { method, headers }: IncomingMessage, body: Buffer, response: ServerResponse) {
  const passed = askHttp(address, { method, headers }, answer => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  passed.on('error', () => response.destroy())
  passed.end(body)
}

/** In the places where hosts, gateways and the auth service put their sentence, and in headers. */
function echo(
  { echo: status, as = 'json' }: Exclude<Manner, string>,
  sent: string,
  response: ServerResponse,
): void {
  const said = `Refused: ${sent}`
  const error = {
    message: said,
    type: said,
    code: 'echo',
    param: said,
    metadata: { reasons: [said], raw: said },
  }
  const body = {
    error,
    message: said,
    msg: said,
    code: said,
    detail: { message: said },
    error_description: said,
  }
  const header = said.replace(/[^\x20-\x7e]/g, ' ').slice(0, 4_000)
  const types = { json: 'application/json', text: 'text/plain', events: 'text/event-stream' }
  response.writeHead(status, {
    'content-type': types[as],
    'x-request-id': header,
    'x-generation-id': header,
    'set-cookie': header,
  })
  const json = JSON.stringify(body)
  response.end(as === 'json' ? json : as === 'text' ? said : `data: ${json}\n\n`)
}
