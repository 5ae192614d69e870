import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from '@jest/globals'
import { en } from '@/test/support/messages'

const ROOT = process.cwd()
const APP = join(ROOT, 'app')
const NAMESPACES = new Set(Object.keys(en))
/** Loads parts of the chat for offline use without rendering them. */
const FETCHES_ONLY = join(ROOT, 'components/offline/offline-support.tsx')

/** The project file of an import; null for packages. */
function resolveImport(importer: string, specifier: string): string | null {
  const base = specifier.startsWith('@/')
    ? join(ROOT, specifier.slice(2))
    : specifier.startsWith('.')
      ? resolve(dirname(importer), specifier)
      : null
  if (base === null) return null
  return [base, `${base}.tsx`, `${base}.ts`].find(path => /\.tsx?$/.test(path) && existsSync(path)) ?? null
}

interface Namespaces {
  /** Each namespace, with a file that uses it. */
  read: Map<string, string>
  sent: Set<string>
}

/**
 * The namespaces that the browser uses anywhere in these files' imports, including dynamic ones, and those that it is
 * sent.
 */
function namespacesOf(entries: readonly string[]): Namespaces {
  const read = new Map<string, string>()
  const sent = new Set<string>()
  const seen = new Set<string>()
  const visit = (path: string, isInBrowserAlready: boolean) => {
    if (path === FETCHES_ONLY) return
    const source = readFileSync(path, 'utf8')
    const isInBrowser = isInBrowserAlready || /^['"]use client['"]/.test(source)
    if (seen.has(`${isInBrowser} ${path}`)) return
    seen.add(`${isInBrowser} ${path}`)
    if (source.includes('ClientMessages')) for (const name of namespacesListed(source)) sent.add(name)
    if (isInBrowser)
      for (const [, name = ''] of source.matchAll(/useTranslations\(\s*'(\w+)/g)) read.set(name, path)
    for (const [, specifier = ''] of source.matchAll(/(?:^(?!import type).*from |import\()'([^']+)'/gm)) {
      const imported = resolveImport(path, specifier)
      if (imported) visit(imported, isInBrowser)
    }
  }
  for (const entry of entries) visit(entry, false)
  return { read, sent }
}

/** The namespaces listed in this source. */
function namespacesListed(source: string): string[] {
  return [...source.matchAll(/\[([^\]]*)\]/g)]
    .flatMap(([, list = '']) => [...list.matchAll(/'(\w+)'/g)].map(([, name = '']) => name))
    .filter(name => NAMESPACES.has(name))
}

/** Each page with its layouts, outermost first. */
function pagesBelow(folder: string, layouts: readonly string[] = []): string[][] {
  const layout = join(folder, 'layout.tsx')
  const own = existsSync(layout) ? [...layouts, layout] : layouts
  const page = join(folder, 'page.tsx')
  const inner = readdirSync(folder, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .flatMap(entry => pagesBelow(join(folder, entry.name), own))
  return existsSync(page) ? [[...own, page], ...inner] : inner
}

test.each(pagesBelow(APP).map(files => [files.at(-1)?.slice(APP.length), files] as const))(
  '%s sends the browser all messages that its components use',
  (_, files) => {
    const { read, sent } = namespacesOf(files)
    expect([...read].filter(([name]) => !sent.has(name))).toEqual([])
  },
)
