import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { readServerSettings } from '@/lib/config/settings'
import * as storageKeys from '@/lib/local/storage/storage-keys'
import { LEFT_OUT_KEYS } from '@/lib/local/transfer/export-data'

const FOLDERS = ['app', 'components', 'lib', 'test', 'e2e', 'bench', 'scripts', 'docs', 'messages', 'public']
const paths = [
  ...readdirSync('.').filter(name => !name.startsWith('.')),
  ...FOLDERS.flatMap(folder =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(path => join(folder, path)),
  ),
]
const documents = paths.filter(path => path.endsWith('.md'))
/** Operators' own files, which are named in examples. */
const EXAMPLES = ['terms.md', 'terms.de.md']

test.each(documents)('every file that %s names exists', document => {
  const named = [...readFileSync(document, 'utf8').matchAll(/`([\w[\]()./-]+\.(?:tsx?|mjs|css|md))`/g)]
  const missing = named
    .map(([, path = '']) => path)
    .filter(path => !EXAMPLES.includes(path) && !isThere(path, dirname(document)))
  expect(missing).toEqual([])
})

/** A file may be named by its whole path, by its path below the document's folder, or by the end of its path. */
function isThere(path: string, folder: string): boolean {
  return existsSync(path) || existsSync(join(folder, path)) || paths.some(known => known.endsWith(`/${path}`))
}

test.each(documents)('every page and heading that %s links to exists', document => {
  const links = [...readFileSync(document, 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
  const broken = links.filter(([, path, heading]) => {
    const page = path ? join(dirname(document), path) : document
    return !existsSync(page) || (heading && !anchorsIn(page).includes(heading))
  })
  expect(broken.map(([link]) => link)).toEqual([])
})

/** The anchors that GitHub derives from headings. */
const anchorsIn = (page: string) =>
  [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

test('README names every setting', () => {
  const asked = new Set<string>()
  readServerSettings(new Proxy({}, { get: (_, name) => void asked.add(String(name)) }))
  // Settings that are read together with others of their group.
  for (const name of readdirSync('lib/config').filter(path => !path.includes('.test.'))) {
    const source = readFileSync(join('lib/config', name), 'utf8')
    for (const [setting] of source.matchAll(/\b[A-Z]+(_[A-Z]+)+(?=[':])/g)) asked.add(setting)
  }
  // Without the host's own variables, and texts by language.
  const settings = [...asked].filter(name => !/^VERCEL|_TEXT(_|$)/.test(name))
  expect(settings).toContain('BTC_RATE_URL')
  const readme = readFileSync('README.md', 'utf8')
  expect(settings.filter(name => !readme.includes(`\`${name}\``))).toEqual([])
})

const keys = Object.entries(storageKeys).filter(([, key]) => typeof key === 'string')

test.each(keys)('lib/local/README.md describes %s', (_name, key) => {
  expect(readFileSync('lib/local/README.md', 'utf8')).toContain(`\`${key}\``)
})

test('lib/local/README.md says which keys an export leaves out', () => {
  const table = readFileSync('lib/local/README.md', 'utf8')
  const leftOut = [...table.matchAll(/`(\w+)` *\|[^|]*; never exported *\|/g)].map(([, key]) => key)
  // Exported, but as conversations.
  leftOut.push(storageKeys.CONVERSATION_HISTORY_KEY)
  expect(leftOut.sort()).toEqual(LEFT_OUT_KEYS.toSorted())
})
