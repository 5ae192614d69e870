import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/** The yardstick: what Next costs when its one route does nothing but pipe. */
const FILES = {
  'package.json': '{ "private": true, "type": "module" }',
  'next.config.mjs': 'export default { poweredByHeader: false }',
  'app/v1/chat/completions/route.js': `
export const dynamic = 'force-dynamic'
export async function POST(request) {
  const answer = await fetch(process.env.UPSTREAM_BASE_URL + '/chat/completions', {
    method: 'POST',
    body: await request.text(),
    signal: request.signal,
  })
  return new Response(answer.body, { headers: { 'content-type': 'text/event-stream' } })
}`,
} as const

/** Builds the yardstick for production in a directory of its own, which the caller removes. */
export async function buildBareNext(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tuppence-bare-next-'))
  await symlink(resolve('node_modules'), join(directory, 'node_modules'))
  for (const [name, text] of Object.entries(FILES)) {
    const path = join(directory, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  // Not the default bundler, which does not look beyond the directory, and beside this project would build
  // this project's middleware and services in.
  const next = resolve('node_modules/next/dist/bin/next')
  const build = spawn(process.execPath, [next, 'build', '--webpack'], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production' },
  })
  const [code] = await once(build, 'exit')
  if (code !== 0) throw new Error('The bare Next application could not be built.')
  return directory
}
