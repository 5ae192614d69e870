import { randomUUID } from 'node:crypto'
import os from 'node:os'
import { parseCredential } from '@/lib/http/credential'
import { isUuid } from '@/lib/http/domain/uuid'
import { formatUsd, NANO_MAX, type Nano, parseNano } from '@/lib/money/nano'
import { OperationError, type OperationInput } from './operation'

const REASON_LENGTH_MAX = 500

/**
 * The account that `--account` names by its id. A credit_id is a secret and does not belong in a shell's history, so it
 * is read from the environment variable CREDIT_ID instead. Both at once are refused, because a variable left over from
 * another command must not send money to the wrong account.
 */
export async function requireAccountId({ services, options }: OperationInput): Promise<string> {
  const { account } = options
  const creditId = process.env.CREDIT_ID
  if (account && creditId) throw new OperationError('Both --account and CREDIT_ID name an account: give one.')
  if (creditId) {
    const credential = parseCredential(creditId)
    const balance = credential && (await services.ledger.getBalance({ credential }))
    if (balance) return balance.accountId
    throw new OperationError('CREDIT_ID is not the id of a known credit.')
  }
  if (!account)
    throw new OperationError('Name the account: --account <account id>, or CREDIT_ID in the environment.')
  if (!isUuid(account)) throw new OperationError(`"${account}" is not an account id.`)
  return account.toLowerCase()
}

export function requireAmount({ options: { amount = '' } }: OperationInput): Nano {
  // Prices have exponents; in an amount that is typed, one is a slip.
  const amountNano = /e/i.test(amount) ? null : parseNano(amount)
  if (amountNano === null || amountNano === 0n)
    throw new OperationError('Name an amount in dollars: --amount 1.25')
  if (amountNano > NANO_MAX) throw new OperationError(`Name at most ${formatUsd(NANO_MAX)} USD at once.`)
  return amountNano
}

export function requireReason({ options }: OperationInput): string {
  const reason = options.reason?.trim() ?? ''
  if (reason === '' || reason.length > REASON_LENGTH_MAX) throw new OperationError('Say why: --reason "…"')
  return reason
}

/** A container may run as a user without a name, who then is recorded by number. */
export function operatorName(): string {
  const given = process.env.OPERATOR?.trim()
  if (given) return given
  try {
    return os.userInfo().username
  } catch {
    return `user ${process.getuid?.()}`
  }
}

/** What every operator's transfer says; the reference is unique to this run. */
export async function requireTransfer(input: OperationInput, kind: string) {
  return {
    accountId: await requireAccountId(input),
    amountNano: requireAmount(input),
    reference: `operator:${kind}:${randomUUID()}`,
    memo: { operator: input.operator, reason: requireReason(input), kind },
  }
}
