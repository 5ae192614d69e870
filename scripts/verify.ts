import { runStep } from './run-step'

/** The fast part of the checks: everything except the browser tests (npm run verify). */
await runStep('Types', 'types')
await runStep('Lint and format', 'lint')
await runStep('Import rules', 'imports')
await runStep('Unused files, exports and packages', 'unused')
await runStep('Unit, property and integration tests', 'test:unit')
