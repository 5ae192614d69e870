import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildIfNeeded } from '@/scripts/build-if-needed'
import { answerPrompt } from '@/test/stand-ins/answer-prompt'
import { startStandInUpstream } from '@/test/stand-ins/upstream'
import { bareEnvironment } from './bare-environment'
import { portsOf, WORKER_COUNT } from './ports'

/**
 * The servers of the browser tests, as one command of playwright.config.ts: for each worker a scripted upstream, and an
 * app as `npm start` runs it. They start side by side; of several commands, the test runner begins one after the other
 * is ready.
 */
const ports = Array.from({ length: WORKER_COUNT }, (_, worker) => portsOf(worker))

function startApp({ app, upstream }: { app: number; upstream: number }) {
  return spawn('npm', ['start'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: bareEnvironment({
      PORT: String(app),
      DATA_DIR: mkdtempSync(join(tmpdir(), 'tuppence-e2e-')),
      UPSTREAM_BASE_URL: `http://127.0.0.1:${upstream}/v1`,
      UPSTREAM_API_KEY: 'stand-in-key',
      SANDBOX: '1',
      LOG_LEVEL: 'warn',
    }),
  })
}

/** Resolves once it listens. */
function isReady({ stdout }: ReturnType<typeof startApp>): Promise<void> {
  let output = ''
  return new Promise(resolve => {
    stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.includes('Ready on')) resolve()
    })
  })
}

// Each of the apps would build, if it had to.
await buildIfNeeded()
await Promise.all(
  ports.map(({ upstream }) => startStandInUpstream({ port: upstream, script: { chat: answerPrompt } })),
)
const apps = ports.map(startApp)
const ends = apps.map(app => once(app, 'exit'))
// The runner's signal is for all processes of this command: the apps end by themselves, and their upstreams after them.
let isStopping = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isStopping = true
  })
}
// One that does not start, as on a port that is taken, leaves none of the others behind.
Promise.race(ends).then(async () => {
  if (!isStopping) for (const app of apps) app.kill()
  await Promise.all(ends)
  process.exit(1)
})
await Promise.all(apps.map(isReady))
console.log('The servers are ready.')
