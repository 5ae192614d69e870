import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleApi } from './api-bundle.ts'
import { endWith, runCommand } from './run-step.ts'
import { compressStaticFiles } from './static-files.ts'

/** Everything that a build is made from, and that makes it. */
export const SOURCES = [
  'app',
  'components',
  'lib',
  'messages',
  'public',
  'scripts/api-bundle.ts',
  'scripts/compile-hints.ts',
  'scripts/static-files.ts',
  'instrumentation.ts',
  'sentry.client.config.ts',
  'middleware.ts',
  'next.config.ts',
  'package-lock.json',
  'tsconfig.json',
]
const MARKER = '.next/source-hash'

export async function buildIfNeeded(): Promise<void> {
  if (!isBuilt()) await build()
}

/** Whether there is a production build of exactly these sources. */
export function isBuilt(): boolean {
  return existsSync('.next/BUILD_ID') && existsSync(MARKER) && readFileSync(MARKER, 'utf8') === hashSources()
}

export async function build(): Promise<void> {
  const hash = hashSources()
  console.log('Building (about half a minute the first time)…')
  const exitCode = await runCommand('npm', ['run', '--silent', 'build'])
  if (exitCode !== 0) await endWith(exitCode)
  await Promise.all([compressStaticFiles('.next/static'), bundleApi()])
  writeFileSync(MARKER, hash)
}

function hashSources(): string {
  const hash = createHash('sha256')
  for (const source of SOURCES.filter(path => existsSync(path))) {
    for (const file of listFiles(source))
      hash.update(file).update('\0').update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex')
}

function listFiles(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .sort()
    .flatMap(name => listFiles(join(path, name)))
    .filter(file => !/\.test\.tsx?$/.test(file))
}
