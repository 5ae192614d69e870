import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type ServedHandler, serveHandler } from '@/test/support/serve-handler'

interface Route {
  file: string
  pattern: RegExp
  names: { name: string; isRest: boolean }[]
}

interface RouteModule {
  [method: string]:
    | ((request: Request, context: { params: Promise<object> }) => Promise<Response>)
    | undefined
}

/**
 * The route handlers of the app over real HTTP, found in its folders as Next finds them, each loaded when it
 * is first asked. What stands before them (middleware, rewrites) is not here.
 */
export async function serveApp(): Promise<ServedHandler> {
  const routes = readdirSync('app', { recursive: true, encoding: 'utf8' })
    .filter(file => /(^|[\\/])route\.ts$/.test(file))
    .map(toRoute)
    .sort((left, right) => vagueness(left) - vagueness(right))
  return serveHandler(request => {
    const { pathname } = new URL(request.url)
    for (const route of routes) {
      const match = route.pattern.exec(pathname)
      if (match) return answer(route, match, request)
    }
    return null
  })
}

async function answer({ file, names }: Route, match: RegExpExecArray, request: Request): Promise<Response> {
  const handlers: RouteModule = await import(resolve('app', file))
  const handler = handlers[request.method]
  if (!handler) return new Response(null, { status: 405 })
  const values = match.slice(1).map(value => value?.split('/').map(decodeURIComponent) ?? [])
  const params = names.map(({ name, isRest }, index) => [name, isRest ? values[index] : values[index]?.[0]])
  return handler(request, { params: Promise.resolve(Object.fromEntries(params)) })
}

function toRoute(file: string): Route {
  const names: Route['names'] = []
  const pattern = file
    .split(/[\\/]/)
    .slice(0, -1)
    .filter(folder => !folder.startsWith('('))
    .map(folder => {
      const [, opening, name] = /^(\[?\[(?:\.\.\.)?)(\w+)\]\]?$/.exec(folder) ?? []
      if (opening === undefined || name === undefined)
        return `/${folder.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`
      names.push({ name, isRest: opening.endsWith('...') })
      if (opening === '[') return '/([^/]+)'
      return opening === '[...' ? '/(.+)' : '(?:/(.+))?'
    })
    .join('')
  return { file: join(file), pattern: new RegExp(`^${pattern}/?$`), names }
}

/** A name that is spelled out goes before one that stands for any, and that before the rest of a path. */
function vagueness({ names }: Route): number {
  return names.reduce((sum, { isRest }) => sum + (isRest ? 100 : 1), 0)
}
