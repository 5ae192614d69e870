import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bareEnvironment } from '../support/bare-environment'

const START_TIMEOUT_MS = 60_000
const POLL_MS = 200

/**
 * Starts the already built site again with sign-in configured. It is reached by name, because a passkey belongs to a
 * name and never to an address.
 */
export async function startSiteWithSignIn(input: {
  port: number
  authUrl: string
  environment?: Record<string, string>
}): Promise<{ url: string; stop: () => Promise<void> }> {
  const site = spawn('node', ['--no-warnings', 'scripts/server.ts'], {
    stdio: 'ignore',
    env: bareEnvironment({
      PORT: String(input.port),
      DATA_DIR: mkdtempSync(join(tmpdir(), 'tuppence-e2e-auth-')),
      SANDBOX: '1',
      NEXT_PUBLIC_SUPABASE_URL: input.authUrl,
      NEXT_PUBLIC_SUPABASE_PUBLISHABLE_KEY: 'sb_publishable_stand_in',
      LINK_ENCRYPTION_KEY: 'a key of the end-to-end tests and of nothing else',
      ...input.environment,
    }),
  })
  const url = `http://localhost:${input.port}`
  await untilItAnswers(`${url}/v1/models`, site)
  return { url, stop: () => stop(site) }
}

async function untilItAnswers(address: string, site: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS
  while (Date.now() < deadline && site.exitCode === null) {
    const answer = await fetch(address).catch(() => null)
    if (answer?.ok) return
    await new Promise(resolve => setTimeout(resolve, POLL_MS))
  }
  site.kill()
  throw new Error('The site with sign-in did not start.')
}

function stop(site: ChildProcess): Promise<void> {
  return new Promise(resolve => {
    if (site.exitCode !== null) return resolve()
    site.once('exit', () => resolve())
    site.kill('SIGTERM')
  })
}
