import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { bareEnvironment } from './bare-environment'
import { freePort } from './free-port'

/** A server process of its own, for what the shared one cannot show: its output, its death, its settings. */
export interface AppProcess {
  baseUrl: string
  pid: number
  /** Everything it has written to stdout and stderr so far. */
  output(): string
  /** Stops reading its output: whatever the server writes from then on fails. */
  closeOutput(): void
  /** Resolves with the exit code; null after a signal. */
  exited: Promise<number | null>
  /** SIGTERM: running answers finish, and the database is closed. */
  stop(): Promise<void>
  /** SIGKILL: nothing is cleaned up. */
  kill(): Promise<void>
}

export interface AppProcessInput {
  dataDirectory: string
  upstreamBaseUrl: string
  /** Additional settings, and replacements for the usual ones. */
  environment?: Record<string, string>
}

/** What `scripts/server.ts` prints once it listens. */
const READY = 'Ready on'

/** Starts the production build, as `npm start` does, and waits until it listens. */
export async function startApp(input: AppProcessInput): Promise<AppProcess> {
  const { app, ready } = await launchApp(input)
  const first = await Promise.race([ready, app.exited.then(code => `exit code ${code}`)])
  if (first !== READY) throw new Error(`The server did not start (${first}):\n${app.output()}`)
  return app
}

/** Starts without waiting, because the start itself may fail. */
async function launchApp(input: AppProcessInput): Promise<{ app: AppProcess; ready: Promise<typeof READY> }> {
  const port = await freePort()
  const child = spawn('node', ['--no-warnings', 'scripts/server.ts'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: bareEnvironment({
      PORT: String(port),
      DATA_DIR: input.dataDirectory,
      UPSTREAM_BASE_URL: input.upstreamBaseUrl,
      UPSTREAM_API_KEY: 'stand-in-key',
      SANDBOX: '1',
      ...input.environment,
    }),
  })
  const { output, ready } = capture(child)
  const exited = once(child, 'close').then(([code]) => code as number | null)
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal)
    await exited
  }
  if (child.pid === undefined) throw new Error('The server process did not start.')
  const app = {
    baseUrl: `http://127.0.0.1:${port}`,
    pid: child.pid,
    output,
    closeOutput() {
      child.stdout.destroy()
      child.stderr.destroy()
    },
    exited,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
  return { app, ready }
}

function capture(child: ChildProcess): { output: () => string; ready: Promise<typeof READY> } {
  let output = ''
  const ready = new Promise<typeof READY>(done => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (output.includes(READY)) done(READY)
      })
    }
  })
  return { output: () => output, ready }
}
