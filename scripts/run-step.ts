import { spawn } from 'node:child_process'

const running = new Set<Promise<number>>()

/** Runs one command with its output passed through. @returns its exit code */
export async function runCommand(command: string, args: string[]): Promise<number> {
  const ended = new Promise<number>((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit' })
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(signal ? 1 : (code ?? 1)))
  })
  running.add(ended)
  return ended.finally(() => running.delete(ended))
}

/** Ends this process because a command failed, once those beside it have ended too. */
export async function endWith(exitCode: number): Promise<never> {
  await Promise.allSettled(running)
  process.exit(exitCode)
}

/** Runs an npm script, and ends this process with a message if it fails. */
export async function runStep(title: string, script: string, args: string[] = []): Promise<void> {
  console.log(`\n== ${title}`)
  const exitCode = await runCommand('npm', [
    'run',
    '--silent',
    script,
    ...(args.length > 0 ? ['--', ...args] : []),
  ])
  if (exitCode === 0) return
  console.error(`\n${title} failed (npm run ${script}).`)
  await endWith(exitCode)
}

/** Everything that can be checked without running the product: types on one core, and beside them the rest on another. */
export async function runChecks(): Promise<void> {
  const others = async () => {
    await runStep('Lint and format', 'lint')
    await runStep('Import rules', 'imports')
    await runStep('Unused files, exports and packages', 'unused')
  }
  // Several checkers would each compute most types again.
  await Promise.all([runStep('Types', 'types', ['--checkers', '1']), others()])
}
