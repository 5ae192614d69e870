import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import next from 'next'

/** A baseline: Next behind a plain server, with a single route that only passes on what the upstream sends. */
const [, , upstreamPort] = process.argv
const FILES = {
  'package.json': '{ "private": true, "type": "module" }',
  'next.config.mjs': 'export default { poweredByHeader: false }',
  'app/v1/chat/completions/route.js': `
export const dynamic = 'force-dynamic'
export async function POST(request) {
  const answer = await fetch('http://127.0.0.1:' + process.env.BENCH_UPSTREAM_PORT + '/v1/chat/completions', {
    method: 'POST',
    body: await request.text(),
    signal: request.signal,
  })
  return new Response(answer.body, { headers: { 'content-type': 'text/event-stream' } })
}`,
} as const

/** A production build, in a directory of its own. */
async function build(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tuppence-bare-next-'))
  await symlink(resolve('node_modules'), join(directory, 'node_modules'))
  for (const [name, text] of Object.entries(FILES)) {
    const path = join(directory, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  // Not the default bundler, which does not look outside of the directory, and within this project would build this
  // project's middleware and services into it.
  const program = resolve('node_modules/next/dist/bin/next')
  const builder = spawn(process.execPath, [program, 'build', '--webpack'], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: 'production' },
  })
  const [code] = await once(builder, 'exit')
  if (code !== 0) throw new Error('The bare Next application could not be built.')
  return directory
}

const directory = await build()
process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
process.once('SIGTERM', () => process.exit())
process.chdir(directory)
process.env.BENCH_UPSTREAM_PORT = upstreamPort
const app = next({ dev: false, dir: directory })
await app.prepare()
const handle = app.getRequestHandler()
const server = createServer((request, response) => void handle(request, response))
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
