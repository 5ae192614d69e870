import { formatUsd } from '@/lib/money/nano'
import { type Operation, OperationError, type OperationInput } from './operation'
import { requireAccountId, requireTransfer } from './options'

export const balance: Operation = {
  usage: 'balance --account <id>',
  async run(input) {
    const accountId = await requireAccountId(input)
    const account = await input.services.books.getAccount({ accountId })
    if (!account) throw new OperationError(`There is no account ${accountId}.`)
    input.print(`account   ${account.accountId}`)
    input.print(`balance   ${formatUsd(account.balanceNano)} USD`)
    input.print(`held      ${formatUsd(account.heldNano)} USD`)
    input.print(`owed      ${formatUsd(account.debtNano)} USD`)
    input.print(`available ${formatUsd(account.balanceNano - account.heldNano)} USD`)
    input.print(`since     ${account.createdAt.toISOString()}`)
    if (account.leftForId) input.print(`merged    into account ${account.leftForId}`)
  },
}

/** A gift: the money comes from promotions. */
export const grant: Operation = {
  usage: 'grant --account <id> --amount <usd> --reason "…"',
  run: input => give(input, 'promotion', 'grant'),
}

/** A correction in the person's favour, or with `take` in the operator's. */
export const adjust: Operation = {
  usage: 'adjust give|take --account <id> --amount <usd> --reason "…"',
  wordCountMax: 1,
  async run(input) {
    switch (input.words[0]) {
      case 'give':
        return give(input, 'operator', 'adjustment')
      case 'take':
        return take(input, 'operator', 'adjustment')
      default:
        throw new OperationError('Say which way: adjust give … or adjust take …')
    }
  },
}

/** Money that was paid back outside of a gateway (by hand, by bank) leaves the account. */
export const refund: Operation = {
  usage: 'refund --account <id> --amount <usd> --reason "…"',
  run: input => take(input, 'gateway', 'refund'),
}

async function give(input: OperationInput, source: 'promotion' | 'operator', kind: string): Promise<void> {
  const transfer = await requireTransfer(input, kind)
  const result = await input.services.ledger.credit({ ...transfer, source })
  input.print(
    `gave ${formatUsd(transfer.amountNano)} USD; the balance is ${formatUsd(result.balanceNano)} USD (${transfer.reference})`,
  )
  if (result.balanceNano < transfer.amountNano)
    input.print('the rest paid what was owed, or went to the account that this one was merged into')
}

async function take(input: OperationInput, source: 'gateway' | 'operator', kind: string): Promise<void> {
  const transfer = await requireTransfer(input, kind)
  const result = await input.services.ledger.reverse({ ...transfer, source })
  input.print(
    `took ${formatUsd(result.takenNano)} USD; the balance is ${formatUsd(result.balanceNano)} USD (${transfer.reference})`,
  )
  if (result.debtNano > 0n)
    input.print(`${formatUsd(result.debtNano)} USD were not available any more: the account owes them`)
}
