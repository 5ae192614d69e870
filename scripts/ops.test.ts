import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { runScript } from '@/test/support/run-script'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tuppence-commands-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

const run = (...words: string[]) => runScript(directory, 'scripts/ops.ts', ...words)

test.each([[['--help']], [['prune', '--help']], [['grant', '-h']]])('%j lists the commands', async words => {
  const { exitCode, output } = await run(...words)
  expect(output).toMatch(/^ {2}prune \[--months 24\]/m)
  expect(exitCode).toBe(0)
})

test.each([
  ['a word too many', ['--reason', 'the', 'old', 'site']],
  ['an option given twice', ['--reason', 'the old site', '--reason', 'the new site']],
])('%s ends a command before it has opened a database', async (_name, words) => {
  const keys = join(directory, 'keys.csv')
  writeFileSync(keys, `sk-${'a'.repeat(32)},1\n`)
  expect(await run('import-keys', keys, ...words)).toEqual({
    exitCode: 1,
    output: '',
  })
  expect(readdirSync(directory)).toEqual(['keys.csv'])
})
