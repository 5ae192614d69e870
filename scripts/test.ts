import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildIfNeeded } from './build-if-needed'
import { runChecks, runStep } from './run-step'
import { makeScratchDirectory } from './scratch-directory'

/** All checks (npm test): the fast ones, and then the end-to-end tests against a production build. */
const scratch = makeScratchDirectory()
const unitReport = join(scratch, 'unit.json')
const browserReport = join(scratch, 'browser.json')
process.env.PLAYWRIGHT_JSON_OUTPUT_NAME = browserReport

await runChecks()
// The tests often wait for a database, and the build for itself: together they take little longer than the tests alone.
await Promise.all([
  runStep('Unit, property and integration tests', 'test:unit', ['--json', `--outputFile=${unitReport}`]),
  buildIfNeeded(),
])
await runStep('End-to-end tests in a browser', 'test:e2e', ['--reporter=list,json'])

const unit = JSON.parse(readFileSync(unitReport, 'utf8')) as {
  numPassedTests: number
  numFailedTests: number
}
const browser = JSON.parse(readFileSync(browserReport, 'utf8')) as {
  stats: { expected: number; flaky: number; unexpected: number }
}
const passed = unit.numPassedTests + browser.stats.expected + browser.stats.flaky
console.log(`\ntests: ${passed} passed, ${unit.numFailedTests + browser.stats.unexpected} failed`)
