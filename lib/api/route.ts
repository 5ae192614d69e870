import 'server-only'
import type { ZodObject, ZodType, z } from 'zod'
import { type Services, services } from '@/lib/composition'
import { ApiError, invalidField } from '@/lib/http/api-error'
import { DirectResponse } from '@/lib/http/direct-response'
import type { RateLimitName } from '@/lib/http/rate-limits'
import { readJson } from '@/lib/http/read-body'
import { CALLERS, type Caller, type CallerKind } from './callers'
import { verifyRequestToken } from './tokens'

/**
 * What a route takes and answers. Requests are validated by it, and the OpenAPI document is made from it: there is no
 * other description of a route.
 */
export interface RouteContract<
  Path extends string = string,
  Kind extends CallerKind = CallerKind,
  Params extends ParamSchemas = ParamSchemas,
  Query extends ZodObject = ZodObject,
  Body extends ZodType = ZodType,
  Answer extends ZodType = ZodType,
> {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** In OpenAPI's notation; `{+name}` matches slashes, too. */
  path: Path
  summary: string
  description?: string
  caller: Kind
  /** The variables of the path. An invalid one is answered 404, with the message of its schema. */
  params?: Params & Record<ParamName<Path>, ZodType>
  query?: Query
  /** Headers of the request and of its answer; only documented, not validated. */
  headers?: ZodObject
  answerHeaders?: Record<string, string>
  /**
   * A JSON body of at most 16 KB, read once the caller is known. Use strict objects: otherwise a misspelt limit or
   * currency would be ignored silently.
   */
  body?: Body
  /** Bodies that the handler reads itself, by content type. */
  bodiesByType?: Record<string, ZodType>
  /** The rate limit, which is counted once the body is valid. */
  limit?: RateLimitName
  /** The JSON of a success. */
  answer?: Answer
  /** The status of a success; 200 by default. */
  status?: number
  /** Other forms of a success, by content type. */
  answersByType?: Record<string, ZodType>
  /** Bodies of answers that are neither a success nor an error in the API's form, by status. */
  answersByStatus?: Record<number, ZodType | null>
  /** For routes whose errors have a form of their own. */
  error?: ZodType
  errorBody?: (error: ApiError, request: Request) => unknown
}

type ParamName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `+${infer Plain}` ? Plain : Name) | ParamName<Rest>
  : never

type ParamSchemas = Readonly<Record<string, ZodType>>

interface RouteInput<Kind extends CallerKind, Params extends ParamSchemas, Query, Body> {
  request: Request
  services: Services
  caller: Caller<Kind>
  params: { [Name in keyof Params]: z.output<Params[Name]> }
  query: Query
  body: Body
}

export interface Route {
  contract: RouteContract
  /** The decoded variables of a path; null if the path is not this route's. */
  match(pathname: string): Record<string, string> | null
  answer(request: Request, params: Record<string, string>): Promise<Response>
  /** Requested every few seconds, and therefore logged at level debug. */
  isProbe?: true
}

export const NO_STORE = { 'cache-control': 'no-store' }

/** A handler returns the contract's object, or a Response if its answer is not JSON. */
export function route<
  const Path extends string,
  Kind extends CallerKind,
  Params extends ParamSchemas,
  Query extends ZodObject,
  Body extends ZodType,
  Answer extends ZodType,
>(
  contract: RouteContract<Path, Kind, Params, Query, Body, Answer>,
  handle: (
    input: RouteInput<Kind, Params, z.output<Query>, z.output<Body>>,
  ) => Promise<z.output<Answer> | Response>,
): Route {
  const { query, body, limit, status = 200 } = contract
  return {
    contract,
    match: matcher(contract.path),
    async answer(request, params) {
      const available = await services()
      return countingGuesses(available, request, () => answerWith(available, request, params))
    },
  }

  async function answerWith(
    available: Services,
    request: Request,
    params: Record<string, string>,
  ): Promise<Response> {
    if (CALLERS[contract.caller].security.length > 0) await verifyRequestToken(request, available)
    const caller = await CALLERS[contract.caller].find(request, available)
    const input = {
      request,
      services: available,
      // The compiler cannot follow the index: the caller is of the contract's own kind.
      caller: caller as Caller<Kind>,
      params: readParams(params, contract.params) as RouteInput<Kind, Params, never, never>['params'],
      query: (query && readQuery(request, query)) as z.output<Query>,
      body: (body && (await readJson(request, body))) as z.output<Body>,
    }
    if (limit) await available.rateLimits.take(limit, request.headers, accountOf(caller))
    const answer = await handle(input)
    if (answer instanceof Response) return answer
    const headers = { ...NO_STORE, 'content-type': 'application/json' }
    return new DirectResponse(Buffer.from(JSON.stringify(answer)), { status, headers })
  }
}

/** @throws ApiError rate_limited, in place of a refused secret, if this address has sent too many */
export async function countingGuesses<Result>(
  { rateLimits }: Pick<Services, 'rateLimits'>,
  { headers }: Request,
  answer: () => Promise<Result>,
): Promise<Result> {
  try {
    return await answer()
  } catch (error) {
    if (error instanceof ApiError && error.isGuess) await rateLimits.take('unknown_credential', headers)
    throw error
  }
}

/** A route that reports whether the process or its services are well, without waiting for the services. */
export function probeRoute(contract: RouteContract, answer: (request: Request) => Promise<Response>): Route {
  return { contract, match: matcher(contract.path), answer, isProbe: true }
}

function matcher(path: string): Route['match'] {
  const pattern = new RegExp(`^${path.replace(/\{(\+?)(\w+)\}/g, toGroup)}$`)
  return pathname => {
    const found = pattern.exec(pathname)
    if (!found) return null
    const entries = Object.entries(found.groups ?? {})
    return Object.fromEntries(entries.map(([name, text]) => [name, decoded(text)]))
  }
}

/** An empty parameter counts as not given. @throws ApiError invalid_request naming it */
function readQuery<Schema extends ZodType>(request: Request, schema: Schema): z.output<Schema> {
  const { searchParams } = new URL(request.url)
  const parsed = schema.safeParse(Object.fromEntries([...searchParams].filter(([, value]) => value !== '')))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw invalidField(issue?.path.join('.') ?? '', issue?.message, 'The query')
}

/** @throws ApiError not_found */
function readParams(params: Record<string, string>, schemas: ParamSchemas = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const read = schema.safeParse(params[name])
      if (read.success) return [name, read.data]
      throw new ApiError('not_found', read.error.issues[0]?.message ?? 'There is nothing at this path.')
    }),
  )
}

export function noRoute(): ApiError {
  return new ApiError('not_found', 'This route does not exist. GET /openapi.json lists all routes.')
}

function toGroup(_variable: string, rest: string, name: string): string {
  return `(?<${name}>${rest ? '.+' : '[^/]+'})`
}

/** An invalid escape stays as it is, and will not be found. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function accountOf(caller: object | null): string | undefined {
  return caller && 'accountId' in caller ? String(caller.accountId) : undefined
}
