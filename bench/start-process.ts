import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Figures } from './report-figures'

/** The process's name is its file beside this one. It says `ready` about itself before it is measured. */
export async function startProcess(file: string, parameters: readonly string[] = []) {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', '--conditions=react-server', '--expose-gc', '--no-warnings', path, ...parameters],
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
