import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { bareEnvironment } from '@/test/support/bare-environment'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tuppence-environment-'))
})
afterEach(() => rm(directory, { recursive: true }))

/** What a program that is started beside an `.env` file prints to stderr. */
async function complaintOf(
  program: string,
  environmentFile: string,
  words: string[] = [],
  environment: NodeJS.ProcessEnv = { NODE_ENV: 'production', HOME: directory, PATH: process.env.PATH },
): Promise<string> {
  await writeFile(join(directory, '.env'), environmentFile)
  const loader = pathToFileURL(resolve('node_modules/tsx/dist/loader.mjs')).href
  const flags = ['--no-warnings', '--conditions=react-server', '--import', loader]
  const child = spawn(process.execPath, [...flags, resolve(program), ...words], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { TSX_TSCONFIG_PATH: resolve('tsconfig.json'), ...environment },
  })
  const [complaint] = await Promise.all([text(child.stderr), once(child, 'exit')])
  return complaint
}

test.each([
  ['scripts/check-settings.ts', []],
  ['scripts/ops.ts', ['check']],
  ['scripts/ledger-check.ts', []],
])('%s reads its settings from .env, too', async (program, words) => {
  expect(await complaintOf(program, 'PRICE_MARKUP=much', words)).toContain('PRICE_MARKUP is not valid')
})

test('the server reads its port from .env, too', async () => {
  const other = createServer().listen(0)
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' ? address?.port : null
  expect(await complaintOf('scripts/server.ts', `PORT=${port}`)).toContain(`Port ${port} is in use`)
  other.close()
})

test('an own machine is not taken for Vercel beside the file of `vercel env pull`', async () => {
  expect(await complaintOf('scripts/check-settings.ts', 'VERCEL="1"')).toBe('')
})

test('a server under test does not inherit the settings of whoever runs the tests', async () => {
  process.env.DATABASE_URL = 'nonsense'
  const environment = bareEnvironment({ DATA_DIR: directory })
  delete process.env.DATABASE_URL
  const complaint = await complaintOf('scripts/check-settings.ts', 'PRICE_MARKUP=much', [], environment)
  expect(complaint).toBe('')
})
