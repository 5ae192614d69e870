import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import { ALIASED_SEGMENTS } from '@/lib/http/api-segments'
import { ANY_ORIGIN_HEADERS, preflightHeaders } from '@/lib/http/cross-site'
import { asRouteHandler, observeApi } from '@/lib/http/handle-api'
import { nameRoute, type ObservedAnswer } from '@/lib/http/observe-request'
import { accountRoutes } from './accounts'
import { CALLERS } from './callers'
import { creditRecordRoute } from './credit-record'
import { deploymentRoutes } from './deployment'
import { keyRoutes } from './keys'
import { mcpRoutes } from './mcp'
import { asksAsAnthropic, modelRoutes } from './models'
import { type Contracts, descriptionContracts } from './openapi'
import { openRouterRoutes } from './openrouter'
import { paidCallRoutes } from './paid-calls'
import { probeRoutes } from './probes'
import { queryRoutes } from './queries'
import { refillRoutes } from './refill'
import { noRoute, type Route, type RouteContract } from './route'
import { signInRoutes } from './sign-in'
import { topUpRoutes } from './top-ups'

/** Every route of the application, under its heading in the OpenAPI document. */
export const ROUTES = {
  'Paid calls': paidCallRoutes,
  Models: modelRoutes,
  Accounts: accountRoutes,
  'API keys': keyRoutes,
  Usage: queryRoutes,
  'OpenRouter’s base path': openRouterRoutes,
  'Top-ups': topUpRoutes,
  'Refill links': refillRoutes,
  Agents: mcpRoutes,
  'Sign-in': signInRoutes,
  Deployment: deploymentRoutes,
  Probes: probeRoutes,
  'The specification’s call': [creditRecordRoute],
} as const satisfies Record<string, readonly Route[]>

const CONTRACTS_BY_HEADING: Record<string, RouteContract[]> = Object.fromEntries(
  Object.entries(ROUTES).map(([heading, routes]) => [heading, routes.map(({ contract }) => contract)]),
)

/** What the OpenAPI document is made of. */
export const CONTRACTS: Contracts = {
  ...CONTRACTS_BY_HEADING,
  Description: descriptionContracts,
}

/** Paths with fewer variables first, so that a literal segment is preferred to a variable. */
const ROUTES_BY_SPECIFICITY = Object.values(ROUTES)
  .flat()
  .sort((left, right) => variableCount(left) - variableCount(right))

/** The routes without variables, which includes all frequent ones, for a quick look-up. */
const ROUTES_BY_PATH = new Map<string, Route[]>()
for (const route of ROUTES_BY_SPECIFICITY) {
  const { path } = route.contract
  if (variableCount(route) === 0) ROUTES_BY_PATH.set(path, [...(ROUTES_BY_PATH.get(path) ?? []), route])
}

const ANY_METHOD = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The whole API as one handler. Unknown paths and methods get errors in its own form, too. */
export async function answerApi(request: Request): Promise<ObservedAnswer> {
  const routes = routesAt(request)
  const found = routes.find(({ route }) => acceptsMethod(request, route))
  const isOpen = routes.length === 0 ? isInV1(request) : (found ? [found] : routes).some(isForAnyOrigin)
  // Nothing is posted to an id here: it is the name of a route that another API has, such as /v1/messages/batches.
  const isNameElsewhere =
    request.method === 'POST' && !found && routes.every(({ route }) => route.contract.path.endsWith('}'))
  const answer = observeApi(
    async () => {
      const isPreflight = request.method === 'OPTIONS'
      if (isPreflight && routes.length === 0 && isOpen)
        return new Response(null, { status: 204, headers: preflightHeaders(ANY_METHOD) })
      if (routes.length === 0 || isNameElsewhere) throw noRoute()
      if (found) {
        nameRoute(found.route.contract.path, found.route.isProbe ? 'debug' : 'info')
        return found.route.answer(request, found.params)
      }
      const allow = routes.map(({ route }) => route.contract.method).join(', ')
      const methods = routes.filter(isForAnyOrigin).map(({ route }) => route.contract.method)
      if (isPreflight)
        return new Response(null, { status: 204, headers: { allow, ...preflightHeaders(methods) } })
      throw new ApiError('method_not_allowed', `This method is not allowed here. Allowed: ${allow}.`, {
        headers: { allow },
      })
    },
    error => {
      const nearest = routes[0]?.route ?? routeAbove(request)
      return nearest?.contract.errorBody?.(error, request) ?? error.toBody()
    },
  )
  const observed = await answer(request)
  const { headers } = observed.response
  // Answers hold balances and secrets: a cache keeps only what a route says it may.
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
  if (isOpen) for (const [name, value] of Object.entries(ANY_ORIGIN_HEADERS)) headers.set(name, value)
  // Anthropic's own name for it, by which its clients report what went wrong.
  if (asksAsAnthropic(request)) headers.set('request-id', headers.get('x-request-id') ?? '')
  return observed
}

/** The same as a route handler of Next. */
export const api = asRouteHandler(answerApi)

/** All routes of the best matching path, whatever their method; a less specific path is no fallback. */
function routesAt(request: Request): { route: Route; params: Record<string, string> }[] {
  for (const path of pathsOf(request)) {
    const plain = ROUTES_BY_PATH.get(path)?.map(route => ({ route, params: {} }))
    const matching =
      plain ??
      ROUTES_BY_SPECIFICITY.flatMap(route => {
        const params = route.match(path)
        return params ? [{ route, params }] : []
      })
    const [first] = matching
    if (first) return matching.filter(({ route }) => route.contract.path === first.route.contract.path)
  }
  return []
}

/** The path decides the form of an error, even if the method is wrong, or what is below the path does not exist. */
function routeAbove(request: Request): Route | undefined {
  const paths = pathsOf(request)
  return ROUTES_BY_SPECIFICITY.find(({ contract }) =>
    paths.some(path => path.startsWith(`${contract.path}/`)),
  )
}

function acceptsMethod({ method }: Request, { contract }: Route): boolean {
  return contract.method === (method === 'HEAD' ? 'GET' : method)
}

/**
 * The paths to look for, in order. An alias without `/v1` is rewritten by Next, but the request still has its original
 * address. OpenRouter's base path `/api/v1` has routes of its own, and all those of `/v1`. Clients that add `/v1`
 * themselves, as Anthropic's do, are often given a base URL that has it.
 */
function pathsOf(request: Request): string[] {
  const pathname = new URL(request.url).pathname.replace(/^(\/api)?(?:\/v1)+(?=\/v1\/)/, '$1')
  const [, first = ''] = pathname.split('/')
  if (ALIASED_SEGMENTS.some(segment => segment === first)) return [`/v1${pathname}`]
  return /^\/api\/v1(\/|$)/.test(pathname) ? [pathname, pathname.slice('/api'.length)] : [pathname]
}

function isForAnyOrigin({ route }: { route: Route }): boolean {
  return CALLERS[route.contract.caller].anyOrigin
}

/** Where most routes are for pages of any origin. These should read that a path is wrong, too. */
function isInV1(request: Request): boolean {
  return pathsOf(request).some(path => /^\/v1(\/|$)/.test(path))
}

function variableCount({ contract }: Route): number {
  return contract.path.split('{').length - 1
}
