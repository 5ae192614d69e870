import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { bareEnvironment } from './bare-environment'

/** Runs one of the operator's scripts on the directory of a stopped server. */
export async function runScript(
  dataDirectory: string,
  script: string,
  ...words: string[]
): Promise<{ exitCode: number | null; output: string }> {
  const child = spawn('node', ['--conditions=react-server', '--import', 'tsx', script, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: bareEnvironment({ DATA_DIR: dataDirectory }),
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [exitCode] = await once(child, 'close')
  return { exitCode, output }
}

/** `npm run ledger:check` on the directory of a stopped server. */
export const checkLedger = (dataDirectory: string) => runScript(dataDirectory, 'scripts/ledger-check.ts')
