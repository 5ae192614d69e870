import { spawn } from 'node:child_process'

/** Runs one command with its output passed through. @returns its exit code */
export function runCommand(command: string, args: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit' })
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(signal ? 1 : (code ?? 1)))
  })
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
  process.exit(exitCode)
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
