import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { freePort } from '../test/support/free-port'

export interface Site {
  child: ChildProcess
  port: number
}

/** Serves the production build of a directory: as `npm start` does, or over another script. */
export async function startSite(input: {
  directory: string
  environment: Record<string, string>
  script?: string
}): Promise<Site> {
  const port = await freePort()
  const flags = ['--no-warnings', '--expose-gc', '--import', resolve('bench/report-figures.ts')]
  const child = spawn(process.execPath, [...flags, resolve(input.script ?? 'scripts/server.ts')], {
    cwd: input.directory,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    // Not the whole environment: settings of whoever measures must not reach it.
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: 'production',
      PORT: String(port),
      ...input.environment,
    },
  })
  let output = ''
  child.stdout?.setEncoding('utf8')
  const exited = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`exit code ${code}\n${output}`)),
  )
  const ready = new Promise<void>(done => {
    child.stdout?.on('data', (text: string) => {
      output += text
      if (output.includes('Ready on')) done()
    })
  })
  await Promise.race([ready, exited])
  exited.catch(() => {})
  return { child, port }
}

/** A new credit in the sandbox's money. */
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
