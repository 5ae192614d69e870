import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseArgs } from 'node:util'
import { type StandInUpstream, startStandInUpstream } from './upstream'
import { FRIENDLY_SCRIPT } from './upstream-friendly-script'

/**
 * The stand-in as a process, for browser tests: `tsx test/stand-ins/upstream-process.ts --port 4010`.
 *
 * - `POST /__script` sets the script (JSON); an empty object restores the friendly one
 * - `POST /__models` sets the models
 * - `POST /__gates/NAME` opens a gate; `GET /__gates/NAME` answers when an answer has reached it
 * - `GET /__requests` lists what was asked so far; `DELETE /__requests` forgets it
 */
async function admin(
  request: IncomingMessage,
  response: ServerResponse,
  upstream: StandInUpstream,
): Promise<boolean> {
  const [path = '', name = ''] = (request.url ?? '').slice('/__'.length).split('/')
  switch (`${request.method} ${path}`) {
    case 'POST script': {
      const script = await readJson(request)
      upstream.setScript(Object.keys(script).length === 0 ? FRIENDLY_SCRIPT : script)
      break
    }
    case 'POST models':
      upstream.setModels(await readJson(request))
      break
    case 'POST gates':
      upstream.gates.open(name)
      break
    case 'GET gates':
      await upstream.gates.reached(name)
      break
    case 'DELETE requests':
      upstream.requests.length = 0
      break
    case 'GET requests':
      send(
        response,
        upstream.requests.map(({ rawBody, ended, ...rest }) => rest),
      )
      return true
    default:
      return false
  }
  send(response, { ok: true })
  return true
}

function send(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

async function readJson(request: IncomingMessage) {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  return JSON.parse(Buffer.concat(pieces).toString('utf8') || '{}')
}

const { values } = parseArgs({ options: { port: { type: 'string', default: '4010' } } })
const upstream = await startStandInUpstream({ port: Number(values.port), script: FRIENDLY_SCRIPT, admin })
console.log(`stand-in upstream at ${upstream.baseUrl}`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    upstream.close().then(() => process.exit(0))
  })
}
