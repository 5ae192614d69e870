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
 * What a route takes and answers. The application validates by it, and the OpenAPI document is made of it:
 * there is no other description of a route.
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
  /** As OpenAPI spells it; `{+name}` takes slashes too. */
  path: Path
  summary: string
  description?: string
  caller: Kind
  /** What the variables of the path are. One that is not valid is not found, for the reason that its schema tells. */
  params?: Params & Record<ParamName<Path>, ZodType>
  query?: Query
  /** Headers of the request and of its answer, for the document. */
  headers?: ZodObject
  answerHeaders?: Record<string, string>
  /**
   * JSON of at most 16 KB, read once the caller is known. Strict: a limit or a currency that is misspelt would be
   * none, and nothing would say so.
   */
  body?: Body
  /** By content type, what the handler reads itself. */
  bodiesByType?: Record<string, ZodType>
  /** Taken once the body is valid. */
  limit?: RateLimitName
  /** Of a success, as JSON. */
  answer?: Answer
  /** Of a success, 200 where it is not said. */
  status?: number
  /** By content type, what a success may be instead. */
  answersByType?: Record<string, ZodType>
  /** By status, bodies of answers that are neither a success nor an error of the API's form. */
  answersByStatus?: Record<number, ZodType | null>
  /** Where errors have a form of their own. */
  error?: ZodType
  errorBody?: (error: ApiError) => unknown
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
  /** The variables of a path, decoded; null where it is another route's. */
  match(pathname: string): Record<string, string> | null
  answer(request: Request, params: Record<string, string>): Promise<Response>
  /** Asked for every few seconds, and told of only to whoever wants to read everything. */
  isProbe?: true
}

export const NO_STORE = { 'cache-control': 'no-store' }

/** A handler answers with the contract's object, or with a response of its own where it is none of JSON. */
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
      if (CALLERS[contract.caller].security.length > 0) await verifyRequestToken(request, available)
      const caller = await CALLERS[contract.caller].find(request, available)
      const input = {
        request,
        services: available,
        // What was found is by the contract's own kind; the compiler cannot follow an index.
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
    },
  }
}

/** One that tells how the services are, or that the process lives: it waits for none of them. */
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
      throw new ApiError('not_found', read.error.issues[0]?.message ?? 'There is no such thing.')
    }),
  )
}

export function noRoute(): ApiError {
  return new ApiError('not_found', 'There is no such route. GET /openapi.json lists them all.')
}

function toGroup(_variable: string, rest: string, name: string): string {
  return `(?<${name}>${rest ? '.+' : '[^/]+'})`
}

/** What is no text stays as it is: nothing has such a name. */
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
