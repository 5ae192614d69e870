import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ALIASED_SEGMENTS } from '@/lib/api/bare-aliases'

export interface ApiRoute {
  method: string
  /** As the folders spell it, without groups: `/keys/[id]`. */
  path: string
  /** From the project's folder. */
  file: string
}

const EXPORTS = /export (?:const|async function|function) (GET|POST|PUT|PATCH|DELETE)\b|export \{([^}]*)\}/g

/** Every route handler of the app, read from its folders: a new route is covered without being listed. */
export function listApiRoutes(): ApiRoute[] {
  return readdirSync('app', { recursive: true, encoding: 'utf8' })
    .filter(file => /(^|[\\/])route\.ts$/.test(file))
    .sort()
    .flatMap(file =>
      methodsOf(join('app', file)).map(method => ({ method, path: pathOf(file), file: join('app', file) })),
    )
    .flatMap(route => [route, ...aliasesOf(route)])
}

/** Puts values in the place of `[name]` and `[...name]`. */
export function fillPath(path: string, valueFor: (name: string) => string): string {
  return path.replace(/\[(?:\.\.\.)?(\w+)\]/g, (_, name: string) => encodeURIComponent(valueFor(name)))
}

function aliasesOf(route: ApiRoute): ApiRoute[] {
  const { path } = route
  const isAliased = ALIASED_SEGMENTS.some(segment => path.startsWith(`/v1/${segment}`))
  return isAliased ? [{ ...route, path: path.slice('/v1'.length) }] : []
}

function methodsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(EXPORTS)].flatMap(([, single, list]) =>
    single
      ? [single]
      : (list ?? '')
          .split(',')
          .map(name => name.trim())
          .filter(name => /^[A-Z]+$/.test(name)),
  )
}

function pathOf(file: string): string {
  const folders = file.split(/[\\/]/).slice(0, -1)
  return `/${folders.filter(folder => !folder.startsWith('(')).join('/')}`
}
