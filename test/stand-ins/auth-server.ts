import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from '../support/listen'
import { factorRoutes } from './auth-server-factors'
import { passkeyRoutes } from './auth-server-passkeys'
import { type Call, findRoute, type Routes } from './auth-server-router'
import { type AuthServerOptions, AuthServerState } from './auth-server-state'
import { tokenRoutes } from './auth-server-tokens'
import { userRoutes } from './auth-server-users'
import { AuthServerError } from './auth-server-wire'

const ROUTES: Routes = { ...tokenRoutes, ...userRoutes, ...factorRoutes, ...passkeyRoutes }
const PREFIX = '/auth/v1'
const CAPTCHA_PATHS = ['/otp', '/passkeys/authentication/options']
const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers':
    'authorization, apikey, content-type, x-client-info, x-supabase-api-version',
  'access-control-expose-headers': 'x-supabase-api-version',
}

/** A fault for the next `count` requests to a path: a response with that status, or a cut connection. */
export interface Fault {
  path: string
  status: number | 'cut'
  count: number
}

/**
 * A stand-in for the Supabase auth server: its wire format, its rules of rotation and linking, its error bodies, with
 * keys of its own. Written from the server's public source and API description.
 */
export class AuthServer {
  readonly state: AuthServerState
  readonly calls: Call[] = []
  readonly faults: Fault[] = []

  constructor(options: Partial<AuthServerOptions> = {}) {
    this.state = new AuthServerState({
      url: 'http://auth.test',
      providers: ['email', 'github', 'google'],
      algorithm: 'ES256',
      issuer: null,
      jwtExpSeconds: 3600,
      refreshTokenReuseSeconds: 10,
      passkeysEnabled: true,
      ...options,
    })
  }

  /** Answers like `fetch`, so that tests with a clock of their own need no sockets. */
  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const response = await this.answer(new Request(input, init))
    for (const [name, value] of Object.entries(CORS_HEADERS)) response.headers.set(name, value)
    return response
  }

  callsTo(path: string): Call[] {
    return this.calls.filter(call => call.path === path)
  }

  private async answer(request: Request): Promise<Response> {
    if (request.method === 'OPTIONS') return new Response(null, { status: 204 })
    const url = new URL(request.url)
    const path = url.pathname.startsWith(PREFIX) ? url.pathname.slice(PREFIX.length) : '/unknown'
    const route = findRoute(ROUTES, request.method, path)
    const call: Call = {
      method: request.method,
      path,
      query: url.searchParams,
      params: route?.params ?? {},
      body: await readBody(request),
      headers: request.headers,
    }
    this.calls.push(call)
    try {
      this.fail(path)
      if (!route) throw new AuthServerError(404, 'not_found', 'Not found')
      this.checkCaptcha(call)
      const response = route.handle(this.state, call)
      return new Response(response.body, { status: response.status, headers: response.headers })
    } catch (error) {
      if (!(error instanceof AuthServerError)) throw error
      return error.toResponse(request.headers.get('x-supabase-api-version'))
    }
  }

  /** Required before anything that sends mail or signs in; each token is valid once. */
  private checkCaptcha({ path, query, body }: Call): void {
    const tokens = this.state.captchaTokens
    const isAsked =
      CAPTCHA_PATHS.includes(path) || (path === '/token' && query.get('grant_type') === 'id_token')
    if (tokens === null || !isAsked) return
    if (tokens.delete(Object(body.gotrue_meta_security).captcha_token)) return
    const message = 'captcha protection: request disallowed (invalid-input-response)'
    throw new AuthServerError(400, 'captcha_failed', message)
  }

  private fail(path: string): void {
    const fault = this.faults.find(candidate => candidate.path === path && candidate.count > 0)
    if (!fault) return
    fault.count -= 1
    if (fault.status === 'cut') throw new TypeError('fetch failed')
    throw new AuthServerError(fault.status, 'unexpected_failure', 'made to fail')
  }
}

/** The stand-in on a port of its own, as the browser and the application reach it. */
export async function startAuthServer(
  options: Partial<AuthServerOptions> & { port?: number } = {},
): Promise<{ server: AuthServer; url: string; stop: () => Promise<void> }> {
  const listener = createServer((request, response) => {
    void relay(server, request, response)
  })
  const { port, stop } = await listen(listener, options)
  const url = `http://127.0.0.1:${port}`
  const server = new AuthServer({ ...options, url })
  return { server, url, stop }
}

async function relay(server: AuthServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const hasBody = request.method !== 'GET' && request.method !== 'HEAD' && chunks.length > 0
    const answer = await server.fetch(`${server.state.options.url}${request.url}`, {
      method: request.method,
      headers: new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
      body: hasBody ? Buffer.concat(chunks).toString() : undefined,
      redirect: 'manual',
    })
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(Buffer.from(await answer.arrayBuffer()))
  } catch {
    response.destroy()
  }
}

async function readBody(request: Request): Promise<Record<string, unknown>> {
  try {
    const value: unknown = await request.json()
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
