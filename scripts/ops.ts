import './load-environment'
import { parseArgs } from 'node:util'
import { compose } from '@/lib/composition'
import { serverSettings } from '@/lib/config/server-settings'
import { PATIENT_QUERY_TIMEOUT_MS } from '@/lib/db/open-postgres'
import { adjust, balance, grant, refund } from './operations/account-operations'
import {
  check,
  newReceiptKey,
  prune,
  reconcileOperation,
  sweepOperation,
  usage,
} from './operations/book-operations'
import { importKeys } from './operations/import-keys'
import { invoice } from './operations/invoice-operations'
import { type Operation, OperationError, refuseExtras, refuseRepeated } from './operations/operation'
import { operatorName } from './operations/options'
import { requireDatabase } from './operations/require-database'

/** The operator's commands (`npm run ops -- <command>`). Each command that moves money records who ran it and why. */
const OPERATIONS: Record<string, Operation> = {
  balance,
  grant,
  refund,
  adjust,
  invoice,
  sweep: sweepOperation,
  reconcile: reconcileOperation,
  check,
  usage,
  prune,
  'import-keys': importKeys,
  'new-receipt-key': newReceiptKey,
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

async function run(commandLine: string[]): Promise<number> {
  const text = { type: 'string' } as const
  const {
    positionals,
    values: { help, ...options },
    tokens,
  } = parseArgs({
    args: commandLine,
    allowPositionals: true,
    tokens: true,
    options: {
      account: text,
      amount: text,
      reason: text,
      days: text,
      months: text,
      help: { type: 'boolean', short: 'h' },
    },
  })
  const [name = '', ...words] = positionals
  const operation = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined
  if (help || !operation) {
    console.log('Commands (npm run ops -- …):')
    for (const { usage: line } of Object.values(OPERATIONS)) console.log(`  ${line}`)
    return help ? 0 : 2
  }
  refuseExtras(operation, { words, options })
  refuseRepeated(tokens.filter(token => token.kind === 'option').map(token => token.name))
  const settings = serverSettings()
  // The balances of an earlier site may come before the first start of this one.
  if (operation !== importKeys) requireDatabase(settings.database)
  const database = { ...settings.database, queryTimeoutMs: PATIENT_QUERY_TIMEOUT_MS }
  const services = await compose({ ...settings, database })
  try {
    const operator = operatorName()
    await operation.run({ services, words, options, operator, print: line => console.log(line) })
    return 0
  } catch (error) {
    if (!(error instanceof OperationError)) throw error
    console.error(error.message)
    return 1
  } finally {
    await services.close()
  }
}
