import { build, isBuilt } from './build-if-needed.ts'
import { runCommand } from './run-step.ts'

/**
 * Starts the product (npm start): builds it if necessary, and serves it from this very process, so that a supervisor
 * watches, stops or kills the server itself. Runs with Node's own type stripping.
 */
if (!isBuilt()) {
  // The server reads its settings itself, but half a minute of building is too long to wait for an error in them.
  const exitCode = await runCommand('node', ['--import', 'tsx', 'scripts/check-settings.ts'])
  if (exitCode !== 0) process.exit(exitCode)
  await build()
}
await import('./server.ts')
