import { runScript } from './run-script'

/** `npm run ledger:check` on the directory of a server that has ended. */
export const checkLedger = (dataDirectory: string) => runScript(dataDirectory, 'scripts/ledger-check.ts')
