import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Figures } from './report-figures'

const REPORT_FIGURES = fileURLToPath(new URL('./report-figures.ts', import.meta.url))

/** The one upstream of tests and benchmarks, which remembers nothing of what is measured. */
export const startUpstream = () =>
  startProcess('../test/stand-ins/upstream-process.ts', ['--port', '0', '--forgetful'])

/** A TypeScript file, named from here. It says something about itself before it is measured. */
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
