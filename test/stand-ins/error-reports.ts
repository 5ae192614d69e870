import { createServer, type IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { listen } from '../support/listen'

interface ReceivedItem {
  type: string
  payload: Record<string, unknown>
}

interface ReceivedEnvelope {
  address: string
  headers: IncomingHttpHeaders
  /** Everything received, unpacked, to be searched for what must not be in it. */
  text: string
  items: ReceivedItem[]
}

export interface ErrorReportsServer {
  /** For SENTRY_DSN. */
  dsn: string
  origin: string
  received: ReceivedEnvelope[]
  /** The items of a type received so far. */
  items(type: string): Record<string, unknown>[]
  stop(): Promise<void>
}

const ENVELOPE_PATH = /^\/api\/\d+\/envelope\/$/

/** A collector of error reports on loopback that understands the envelope format: lines of JSON, in pairs. */
export async function startErrorReportsServer(): Promise<ErrorReportsServer> {
  const received: ReceivedEnvelope[] = []
  const server = createServer(async (request, response) => {
    // A page that was left in the middle of a report has sent none.
    const body = await buffer(request).catch(() => null)
    if (body === null) return
    const address = request.url ?? '/'
    const known = ENVELOPE_PATH.test(address.replace(/\?.*$/, ''))
    if (request.method === 'POST' && known) {
      const packed = request.headers['content-encoding'] === 'gzip'
      const text = (packed ? gunzipSync(body) : body).toString('utf8')
      received.push({ address, headers: request.headers, text, items: parseItems(text) })
    }
    response.writeHead(known ? 200 : 404, { 'access-control-allow-origin': '*' }).end('{}')
  })
  const { port, stop } = await listen(server)
  const host = `127.0.0.1:${port}`
  return {
    dsn: `http://0123456789abcdef0123456789abcdef@${host}/42`,
    origin: `http://${host}`,
    received,
    items: type =>
      received
        .flatMap(({ items }) => items)
        .filter(item => item.type === type)
        .map(({ payload }) => payload),
    stop,
  }
}

function parseItems(text: string): ReceivedItem[] {
  const [, ...lines] = text.split('\n').filter(line => line !== '')
  const items: ReceivedItem[] = []
  for (let index = 0; index + 1 < lines.length; index += 2) {
    const { type } = JSON.parse(lines[index] ?? '{}')
    items.push({ type: String(type), payload: JSON.parse(lines[index + 1] ?? '{}') })
  }
  return items
}
