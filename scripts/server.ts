import './load-environment.ts'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import * as nodeModule from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { API_BUNDLE_FILE } from './api-bundle.ts'
import { inTurn } from './in-turn.ts'
import { pageTurns } from './page-turns.ts'
import { staticFiles } from './static-files.ts'

/**
 * The production server of a self-hosted deployment: it serves the API itself, and everything else through Next's own
 * handler, behind a plain HTTP server. That server does what only the owner of the socket can do: determine the real
 * address of a request (which rate limits rely on), have a connection's requests and pages answered in turn, and let
 * running answers finish when it is told to stop.
 *
 * Runs with Node's own type stripping, so it only imports its neighbours and what the build has made of the API.
 */
const CLIENT_ADDRESS_HEADER = 'x-client-address'
/** Longer than an answer is likely to take, but shorter than the time after which process managers kill. */
const SHUTDOWN_SECONDS_MAX = 25

/** Read by instrumentation.ts. */
const HAS_SERVICES_KEY = Symbol.for('tuppence.has-services')

/** For any path; TRACE is a method that the web platform's requests cannot have. */
const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

const STATIC_PATH = '/_next/static/'
/** Files wait for their readers only, and the sandbox upstream takes its time over an answer. */
const NO_PAGE = /^\/(?:_next\/static|sandbox\/upstream)\//

const ROUTER_STATE_HEADER = 'next-router-state-tree'

const NO_PATH = 'The path of the request is not valid percent-encoded UTF-8.'

/**
 * No page has ten. Next's time grows with the square of their number: for nine thousand it takes two seconds, during
 * which this process does nothing else.
 */
const PARAMETER_COUNT_MAX = 100

/** During shutdown: how often connections that have become idle are closed. */
const IDLE_CLOSE_INTERVAL_MS = 100

/**
 * A large session takes many cookies of 4 KB each. With Node's own limit of 16 KiB every request of that visitor,
 * including signing out, would get an empty 431.
 */
const HEADER_BYTES_MAX = 64 * 1024

Object.assign(process.env, { NODE_ENV: 'production' })
const port = Number(process.env.PORT?.trim() || '3000')
const trustedProxyCount = Number(process.env.TRUSTED_PROXY_COUNT ?? '0')

/** The responses in progress. */
const answers = new Set<ServerResponse>()

const receive: RequestListener = (request, response) => {
  answers.add(response)
  response.once('close', () => answers.delete(response))
  // Next answers both with 500, and redirects for a whole address in place of a path (`GET http://elsewhere/`, as sent
  // to a proxy). They are the visitor's mistakes.
  if (request.headers.accept?.includes('text/html')) escapeUnreadable(request)
  if (!hasPath(request)) return refuse(response, 400, 'invalid_request', NO_PATH)
  if (request.method === 'TRACE') {
    response.setHeader('allow', ALLOWED_METHODS)
    return refuse(
      response,
      405,
      'method_not_allowed',
      `This method is not allowed here. Allowed: ${ALLOWED_METHODS}.`,
    )
  }
  request.headers[CLIENT_ADDRESS_HEADER] = clientAddress(request)
  // Next reads forwarding headers for redirects and logs; without a trusted proxy the visitor can make them up.
  if (trustedProxyCount === 0) {
    if (request.headers['x-forwarded-for'] !== undefined)
      void api.then(({ noteUntrustedProxy }) => noteUntrustedProxy(request.socket.remoteAddress ?? ''))
    for (const name of Object.keys(request.headers))
      if (name.startsWith('x-forwarded-')) delete request.headers[name]
  }
  void answer(request, response)
}

const server = createServer({ maxHeaderSize: HEADER_BYTES_MAX }, inTurn(receive))
server.keepAliveTimeout = 65_000
Object.assign(globalThis, { [HAS_SERVICES_KEY]: true })

/**
 * Whatever reads our output may end before us, for example a log collector that restarts. Next would report that in the
 * same output, forever.
 */
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})

/** Listens before anything is opened, because a port that is in use usually belongs to an earlier start. */
const listening = listen()
const api = listening.then(loadApi)
/** The API does not wait for the pages, which take longer. */
const services = api.then(({ startServices }) => startServices())
const pages = api.then(preparePages)
const [closeServices] = await Promise.all([services, pages])
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, shutDown)
process.stdout.write(`Ready on http://localhost:${port}\n`)

async function listen(): Promise<void> {
  try {
    await once(server.listen(port), 'listening')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const problems: Record<string, string> = {
      EADDRINUSE: 'is in use: stop what listens there, or',
      ERR_SOCKET_BAD_PORT: 'is not a number from 1 to 65535:',
    }
    const problem = problems[code ?? ''] ?? `(${message}):`
    process.stderr.write(`\nPort ${process.env.PORT ?? port} ${problem} set PORT to another.\n`)
    process.exit(1)
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { listenAsApi, READER_STALL_TIMEOUT_MS } = await api
  if (listenAsApi(request, response)) return
  response.setTimeout(READER_STALL_TIMEOUT_MS)
  if (hasTooManyParameters(request))
    return refuse(
      response,
      400,
      'invalid_request',
      `The address has more than ${PARAMETER_COUNT_MAX} parameters.`,
    )
  const answerWithPage = await pages
  answerWithPage(request, response)
}

async function loadApi(): Promise<typeof import('../lib/api-server.ts')> {
  // Compiled code can be reused; older versions of Node compile again.
  nodeModule.enableCompileCache?.(resolve('.next/cache/compiled'))
  return import(pathToFileURL(resolve(API_BUNDLE_FILE)).href)
}

async function preparePages() {
  // As read by the build: without this, Next compiles next.config.ts again, for which a container has no compiler.
  const { config } = JSON.parse(await readFile('.next/required-server-files.json', 'utf8'))
  process.env.__NEXT_PRIVATE_STANDALONE_CONFIG = JSON.stringify(config)
  const { default: next } = await import('next')
  const { parseAndValidateFlightRouterState: readRouterState } = await import(
    'next/dist/server/app-render/parse-and-validate-flight-router-state.js'
  )
  // Next listens for upgrades on a server of its own, where none will come. On ours it would cut off any client that
  // offers one, as Java's HTTP client does with every first request, and there is nothing to upgrade to.
  const app = next({ dev: false, port, httpServer: createServer() })
  const [answerStatic] = await Promise.all([staticFiles('.next/static', STATIC_PATH), app.prepare()])
  const handle = app.getRequestHandler()
  const { clientAddress: addressOf } = await api
  const handleInTurn = pageTurns(handle, ({ headers }) => {
    const address = String(headers[CLIENT_ADDRESS_HEADER])
    return addressOf(new Headers({ [CLIENT_ADDRESS_HEADER]: address }), false).address
  })
  return (request: IncomingMessage, response: ServerResponse) => {
    if (answerStatic(request, response)) return
    // Next answers 500, as if the mistake were ours, and logs it.
    if (!accepts(readRouterState, request.headers[ROUTER_STATE_HEADER]))
      return refuse(response, 400, 'invalid_request', `The header ${ROUTER_STATE_HEADER} is not valid.`)
    const take = NO_PAGE.test(request.url ?? '') ? handle : handleInTurn
    void take(request, response)
  }
}

/**
 * Stops listening, lets running answers finish (including those whose reader has gone), and closes the database. It is
 * told to more than once: a terminal sends Ctrl-C to npm and to this process, and npm passes it on.
 */
async function shutDown(): Promise<void> {
  if (!server.listening) return
  setTimeout(() => process.exit(1), SHUTDOWN_SECONDS_MAX * 1000).unref()
  server.close()
  // Repeatedly, because a client with a persistent connection would send another request after its answer has ended.
  setInterval(() => server.closeIdleConnections(), IDLE_CLOSE_INTERVAL_MS).unref()
  await closeServices()
  // Does not wait for every connection to close: browsers open some in advance and leave them unused for a long time.
  while (answers.size > 0) {
    await Promise.all([...answers].map(answer => new Promise(resolve => answer.once('close', resolve))))
  }
  process.exit(0)
}

/** In the format of the API's errors, which this file cannot import. */
function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(JSON.stringify({ error: { message, type: 'invalid_request_error', code, param: null } }))
}

function hasPath({ url = '/' }: IncomingMessage): boolean {
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '')
    return url.startsWith('/')
  } catch {
    return false
  }
}

function hasTooManyParameters({ url = '' }: IncomingMessage): boolean {
  return url.split('&', PARAMETER_COUNT_MAX + 1).length > PARAMETER_COUNT_MAX
}

function accepts<Value>(read: (value: Value) => unknown, value: Value): boolean {
  try {
    read(value)
    return true
  } catch {
    return false
  }
}

/** Escapes a path that cannot be decoded once more, so that it reaches middleware.ts, which has a page for people. */
function escapeUnreadable(request: IncomingMessage): void {
  if (!hasPath(request)) request.url = request.url?.replace(/^[^?]*/, path => path.replaceAll('%', '%25'))
}

/** Counted from the right: each trusted proxy appends the address that it saw. */
function clientAddress(request: IncomingMessage): string {
  const forwarded = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map(address => address.trim())
    .filter(address => address !== '')
  const addresses = [...forwarded, request.socket.remoteAddress ?? 'unknown']
  return addresses.at(-1 - Math.min(trustedProxyCount, addresses.length - 1)) ?? 'unknown'
}
