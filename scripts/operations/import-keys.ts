import { readFile, stat } from 'node:fs/promises'
import { parseCredential } from '@/lib/http/credential'
import { keyHint } from '@/lib/http/new-api-key'
import { formatUsd, NANO_MAX, type Nano, parseNano } from '@/lib/money/nano'
import { type Operation, OperationError, type OperationInput } from './operation'
import { requireReason } from './options'

/** Read completely before anything is written; far more than any site has keys. */
const FILE_BYTES_MAX = 64 * 1024 * 1024

interface KeyBalance {
  lineNumber: number
  secretHash: string
  hint: string
  balanceNano: Nano
}

/**
 * Imports balances that an earlier version kept under API keys. Each key then is the only holder of an account, can
 * spend from it, and can be converted to credit by the browser that has it. They are read from a file, so that no
 * secret is left in a shell's history. Importing the same file again imports nothing twice.
 */
export const importKeys: Operation = {
  usage: 'import-keys <file> --reason "…"     # lines of <api key>,<balance in USD>',
  wordCountMax: 1,
  async run(input) {
    const reason = requireReason(input)
    const lines = parseLines(await readLines(input))
    let importedCount = 0
    let importedNano = 0n
    for (const line of lines) {
      if (!(await importLine(input, reason, line).catch(error => refuseRest(line, error)))) continue
      importedCount += 1
      importedNano += line.balanceNano
    }
    input.print(`imported ${importedCount} of ${lines.length} keys with ${formatUsd(importedNano)} USD`)
    if (importedCount < lines.length) input.print('the others had been imported before')
  },
}

async function readLines({ words: [path] }: OperationInput): Promise<string[]> {
  if (path === undefined) throw new OperationError('Name the file: import-keys <file>.')
  const found = await stat(path).catch(() => null)
  if (!found?.isFile()) throw new OperationError(`There is no file ${path}.`)
  if (found.size > FILE_BYTES_MAX) throw new OperationError('The file is too large: split it.')
  return (await readFile(path, 'utf8')).split(/\r?\n/)
}

/** All or nothing: if one line is not understood, nothing is imported. */
function parseLines(lines: readonly string[]): KeyBalance[] {
  const byHash = new Map<string, KeyBalance>()
  lines.forEach((line, index) => {
    if (line.trim() === '') return
    const [secret = '', amount = '', ...rest] = line.split(',').map(part => part.trim())
    const credential = parseCredential(secret)
    const balanceNano = parseNano(amount)
    // Without the line itself, which contains a secret.
    const refuse = (why: string) => new OperationError(`Line ${index + 1}: ${why}. Nothing was imported.`)
    if (credential?.kind !== 'api_key' || rest.length > 0) throw refuse('expected <api key>,<balance in USD>')
    if (balanceNano === null) throw refuse('the balance is not an amount in dollars')
    if (balanceNano > NANO_MAX) throw refuse(`the balance is above ${formatUsd(NANO_MAX)} USD`)
    if (byHash.has(credential.secretHash)) throw refuse('this key is in the file twice')
    const hint = keyHint(secret)
    const { secretHash } = credential
    byHash.set(secretHash, { lineNumber: index + 1, secretHash, hint, balanceNano })
  })
  return [...byHash.values()]
}

/** False if it had been imported before. */
async function importLine(
  { services: { ledger }, operator }: OperationInput,
  reason: string,
  { secretHash, hint, balanceNano }: KeyBalance,
): Promise<boolean> {
  const firstKey = { secretHash, hint }
  const before = await ledger.getBalance({ credential: { kind: 'api_key', secretHash } })
  const { accountId } = await ledger.createAccount({ creditIdHash: null, firstKey, attribution: null })
  if (balanceNano === 0n) return before === null
  const { outcome } = await ledger.credit({
    accountId,
    amountNano: balanceNano,
    source: 'operator',
    reference: `operator:import:${secretHash}`,
    memo: { operator, reason, kind: 'import' },
  })
  return outcome === 'credited'
}

/** Only the ledger knows, such as that a key belongs to a credit. */
function refuseRest({ lineNumber }: KeyBalance, error: Error): never {
  throw new OperationError(
    `Line ${lineNumber}: ${error.message} The lines before it are imported. Import the whole file again afterwards: no key gets its balance twice.`,
    { cause: error },
  )
}
