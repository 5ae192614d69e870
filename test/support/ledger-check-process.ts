import { runScript } from './run-script'

/** `npm run ledger:check` on the directory of a stopped server. */
export const checkLedger = (dataDirectory: string) => runScript(dataDirectory, 'scripts/ledger-check.ts')
