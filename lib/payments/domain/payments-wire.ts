import { z } from 'zod'
import type { VerbWire } from '@/lib/ledger/domain/ledger-wire'
import { wireAmountFound, wireText, wireTime } from '@/lib/ledger/domain/wire-values'
import type { Payments } from './payments'
import type { RefillLinks } from './refill-links'
import { wireDecimal } from './wire-decimal'
import { wireCurrency, wireInvoice, wireMethodId } from './wire-invoice'
import { wireListMethods } from './wire-methods'

/** The origin of the visitor's site: where a checkout elsewhere leads back to, `returnPath` appended. */
const siteUrl = z
  .url({ protocol: /^https?$/ })
  .max(300)
  .regex(/[^/]$/)
const returnPath = z
  .string()
  .max(200)
  .regex(/^\/[A-Za-z0-9/_-]*$/)

const accountId = z.uuid()
const tokenHash = z.string().regex(/^[0-9a-f]{64}$/)

const wireCreateInvoice = {
  input: z.object({
    accountId,
    methodId: wireMethodId,
    amount: wireDecimal,
    currency: wireCurrency,
    siteUrl,
    returnPath: returnPath.optional(),
  }),
  output: z.discriminatedUnion('outcome', [
    z.object({ outcome: z.literal('created'), invoice: wireInvoice }),
    z.object({ outcome: z.literal('unknown_method') }),
    z.object({ outcome: z.literal('unknown_currency'), currencies: z.array(wireCurrency).readonly() }),
    z.object({
      outcome: z.literal('amount_out_of_range'),
      minimumNano: wireAmountFound,
      maximumNano: wireAmountFound,
    }),
    z.object({ outcome: z.literal('amount_too_fine') }),
    z.object({ outcome: z.literal('rate_unavailable') }),
  ]),
}

const invoiceById = { input: z.object({ invoiceId: wireText }), output: wireInvoice.nullable() }

/** What of payments another deployment may ask for: `POST /api/payments-host/<verb>`. */
export const PAYMENTS_WIRE = {
  listMethods: wireListMethods,
  createInvoice: wireCreateInvoice,
  getInvoice: {
    input: z.object({ accountId, invoiceId: wireText }),
    output: wireInvoice.nullable(),
  },
  findInvoice: invoiceById,
  recheckInvoice: invoiceById,
  paySandboxInvoice: {
    input: z.object({ invoiceId: wireText, fraction: wireDecimal }),
    output: wireInvoice.nullable(),
  },
} as const satisfies Partial<{
  [Verb in keyof Payments]: VerbWire<
    Parameters<Payments[Verb]>[0] extends undefined ? Record<string, never> : Parameters<Payments[Verb]>[0],
    Awaited<ReturnType<Payments[Verb]>>
  >
}>

const account = z.object({ accountId })
const refillLink = z.object({ createdAt: wireTime })

/** The refill links of the accounts there, beside the verbs above. */
export const REFILL_WIRE = {
  createRefillLink: { input: account.extend({ tokenHash }), output: refillLink },
  getRefillLink: { input: account, output: refillLink.nullable() },
  revokeRefillLink: { input: account, output: z.object({ revoked: z.boolean() }) },
  findRefillLink: { input: z.object({ tokenHash: wireText }), output: account.nullable() },
} as const satisfies {
  [Verb in keyof RefillLinks as `${Verb}RefillLink`]: VerbWire<
    Parameters<RefillLinks[Verb]>[0],
    Awaited<ReturnType<RefillLinks[Verb]>>
  >
}
