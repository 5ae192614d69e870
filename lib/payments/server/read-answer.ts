import 'server-only'
import { z } from 'zod'
import { parseDecimal } from '@/lib/money/decimal'
import {
  type Gateway,
  GatewayError,
  gatewayInvoiceSchema,
  observationSchema,
  refundSchema,
  toldDecimal,
  webhookNoticeSchema,
} from '../domain/gateway'

/**
 * The one place where an answer that cannot be read becomes the error of its gateway: nothing is credited or taken back
 * by it, and the gateway is asked again.
 * @throws GatewayError, which does not contain the answer
 */
export function readAnswer<Schema extends z.ZodType>(
  schema: Schema,
  answer: unknown,
  whose: string,
): z.output<Schema> {
  const parsed = schema.safeParse(answer)
  if (parsed.success) return parsed.data
  throw new GatewayError(`${whose} answered unexpectedly.`)
}

/** A decimal as gateways write it: as text, or as a number. */
export const answeredText = z.union([z.string(), z.number()]).transform((value, context) => {
  const parsed = parseDecimal(String(value))
  if (parsed) return parsed
  context.addIssue({ code: 'custom', message: 'expected a decimal' })
  return z.NEVER
})

export const answeredDecimal = answeredText.pipe(toldDecimal)

/** The last second of JavaScript's calendar. */
const UNIX_SECONDS_MAX = 8_640_000_000_000

/** Below zero as well: the zero of Go's clock is in the year 1. */
export const answeredSeconds = z.number().min(-UNIX_SECONDS_MAX).max(UNIX_SECONDS_MAX)

/** Null for a time that no gateway can mean. */
export function dateOf(seconds: number | null | undefined): Date | null {
  return seconds && seconds > 0 ? new Date(seconds * 1000) : null
}

/** The gateway, which is believed only within bounds: whatever else its adapter makes of an answer is its error. */
export function believeGateway(gateway: Gateway): Gateway {
  const whose = `The payment gateway ${gateway.id}`
  return {
    ...gateway,
    getUsdPerBitcoin: input => gateway.getUsdPerBitcoin(input),
    createInvoice: async request =>
      readAnswer(gatewayInvoiceSchema, await gateway.createInvoice(request), whose),
    fetchInvoice: async request =>
      readAnswer(observationSchema.nullable(), await gateway.fetchInvoice(request), whose),
    fetchRefunds: async request =>
      readAnswer(z.array(refundSchema), (await gateway.fetchRefunds?.(request)) ?? [], whose),
    verifyWebhook:
      gateway.verifyWebhook &&
      (async request =>
        readAnswer(webhookNoticeSchema.nullable(), await gateway.verifyWebhook?.(request), whose)),
  }
}
