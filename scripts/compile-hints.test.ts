import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { hintScripts } from './compile-hints'

const directory = mkdtempSync(join(tmpdir(), 'tuppence-hints-'))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true })
  writeFileSync(join(directory, path), text)
}

const chunk = (name: string) => `static/chunks/${name}.js`
const manifest = (names: string[]) =>
  `globalThis.__RSC_MANIFEST=${JSON.stringify({ entryJSFiles: { '[project]/layout': names.map(chunk) } })}`

test('marks the modules that every page runs once, and leaves the others', async () => {
  for (const name of ['react', 'shell', 'chat', 'table', 'lazy']) write(chunk(name), `run("${name}")`)
  write('build-manifest.json', JSON.stringify({ rootMainFiles: [chunk('react')] }))
  write('server/app/[locale]/(chat)/page_client-reference-manifest.js', manifest(['shell', 'chat']))
  write(
    'server/app/[locale]/(reading)/pricing/page_client-reference-manifest.js',
    manifest(['shell', 'table']),
  )
  await hintScripts(directory)
  await hintScripts(directory)
  const [react, shell, chat, table, lazy] = ['react', 'shell', 'chat', 'table', 'lazy'].map(name =>
    readFileSync(join(directory, chunk(name)), 'utf8'),
  )
  expect(react).toBe('//# allFunctionsCalledOnLoad\nrun("react")')
  expect(shell).toBe('//# allFunctionsCalledOnLoad\nrun("shell")')
  expect(chat).toBe('run("chat")')
  expect(table).toBe('run("table")')
  expect(lazy).toBe('run("lazy")')
})
