import { build, isBuilt } from './build-if-needed.ts'
import { runCommand } from './run-step.ts'

/**
 * Starts the product (npm start): built when needed, then served by this very process, so that whoever
 * watches, stops or kills it has the server itself in hand. Runs on Node's own type stripping.
 */
if (!isBuilt()) {
  // The server reads its settings itself; half a minute of building is too long to be told of a wrong one.
  const exitCode = await runCommand('node', ['--import', 'tsx', 'scripts/check-settings.ts'])
  if (exitCode !== 0) process.exit(exitCode)
  await build()
}
await import('./server.ts')
