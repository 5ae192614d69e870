import { schema } from './0001-schema'
import { refillLinkName } from './0002-refill-link-name'
import { addKeyRouting } from './0003-key-routing'
import { unpaidAccounts } from './0004-unpaid-accounts'
import { receiptKeys } from './0005-receipt-keys'
import { growth } from './0006-growth'
import { usageMonth } from './0007-usage-month'
import { lost } from './0008-lost'
import { left } from './0009-left'
import { functionVersion } from './0010-function-version'
import { unnamedKeys } from './0011-unnamed-keys'
import { unfinished } from './0012-unfinished'
import { leaving } from './0013-leaving'
import { paymentOnce } from './0014-payment-once'
import { leavingSequence } from './0015-leaving-sequence'
import type { Migration } from './migration'

/** In the order in which they run. Append only; never change or reorder what a deployment has run. */
export const MIGRATIONS = [
  schema,
  refillLinkName,
  addKeyRouting,
  unpaidAccounts,
  receiptKeys,
  growth,
  usageMonth,
  lost,
  left,
  functionVersion,
  unnamedKeys,
  unfinished,
  leaving,
  paymentOnce,
  leavingSequence,
] as const satisfies readonly Migration[]
