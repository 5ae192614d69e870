import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { bareEnvironment } from '../test/support/bare-environment'
import { freePort } from '../test/support/free-port'
import type { Figures } from './report-figures'

const REPORT_FIGURES = fileURLToPath(new URL('./report-figures.ts', import.meta.url))

/** Starts a TypeScript file, relative to this one. It sends a message about itself before it is measured. */
export async function startProcess(file: string, parameters: readonly string[] = []) {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const child = spawn(
    process.execPath,
    [
      ...['--import', 'tsx', '--import', REPORT_FIGURES],
      ...['--conditions=react-server', '--expose-gc', '--no-warnings', path, ...parameters],
    ],
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: { ...process.env, NODE_ENV: 'production' } },
  )
  const [ready] = await once(child, 'message')
  return { child, ready }
}

export async function askFigures(child: ChildProcess, question: 'cpu' | 'memory'): Promise<Figures> {
  child.send(question)
  const [figures] = await once(child, 'message')
  return figures
}

/** Serves the production build in this directory, as `npm start` does. */
export async function startSite(environment: Record<string, string>) {
  const port = await freePort()
  const startedAt = performance.now()
  const flags = ['--no-warnings', '--expose-gc', '--import', REPORT_FIGURES]
  const child = spawn(process.execPath, [...flags, 'scripts/server.ts'], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: bareEnvironment({ PORT: String(port), SANDBOX: '1', ...environment }),
  })
  let output = ''
  const ready = new Promise<void>((done, fail) => {
    child.once('exit', code => fail(new Error(`exit code ${code}\n${output}`)))
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      if (output.includes('Ready on')) done()
    })
  })
  await ready
  return { child, port, readyMs: performance.now() - startedAt }
}

/** Creates a new credit with the sandbox's money. */
export async function openCredit(port: number, amountUsd: number): Promise<string> {
  const origin = `http://127.0.0.1:${port}`
  const post = async (path: string, creditId: string | null, body: unknown) => {
    const response = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(creditId && { authorization: `Bearer ${creditId}` }),
      },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  const { credit_id: creditId } = await post('/accounts/create', null, {})
  const invoice = await post('/topup/create/btc-lightning', creditId, { amount: amountUsd, currency: 'USD' })
  await post(`/topup/sandbox/${invoice.invoice_id}/pay`, creditId, { fraction: 1 })
  return creditId
}
