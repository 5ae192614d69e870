import { readdirSync } from 'node:fs'
import { ALIASED_SEGMENTS } from '@/lib/http/api-segments'

export interface ApiRoute {
  method: string
  /** As spelled in the document: `/keys/{id}`. */
  path: string
}

/**
 * Every route of the API, from its OpenAPI document, which is made from the routes: a new route is covered without
 * being listed.
 */
export function apiRoutesOf(document: { paths: Record<string, object> }): ApiRoute[] {
  const routes = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map(method => ({ method: method.toUpperCase(), path })),
  )
  return [...routes.flatMap(route => [route, ...aliasesOf(route)]), ...sandboxRoutes()]
}

/** The routes of the server under test. */
export async function listApiRoutes(request: {
  get(path: string): Promise<{ json(): Promise<{ paths: Record<string, object> }> }>
}): Promise<ApiRoute[]> {
  return apiRoutesOf(await (await request.get('/openapi.json')).json())
}

/** Replaces each `{name}` with a value. */
export function fillPath(path: string, valueFor: (name: string) => string): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(valueFor(name)))
}

function aliasesOf(route: ApiRoute): ApiRoute[] {
  const { path } = route
  const isAliased = ALIASED_SEGMENTS.some(segment => path.startsWith(`/v1/${segment}`))
  return isAliased ? [{ ...route, path: path.slice('/v1'.length) }] : []
}

/** The practice upstream is not part of the API, but runs on the same server. */
function sandboxRoutes(): ApiRoute[] {
  return readdirSync('app/sandbox', { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('route.ts'))
    .map(file => `/sandbox/${file.split(/[\\/]/).slice(0, -1).join('/')}`)
    .map(path => ({ method: path.endsWith('/models') ? 'GET' : 'POST', path }))
}
