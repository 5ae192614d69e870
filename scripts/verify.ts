import { runChecks, runStep } from './run-step'

/** The fast part of the checks: everything except the browser tests (npm run verify). */
await runChecks()
await runStep('Unit, property and integration tests', 'test:unit')
