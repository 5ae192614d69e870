import 'server-only'
import { z } from 'zod'
import { fieldsOf } from '@/lib/http/domain/is-object'
import { GatewayError } from '../domain/gateway'
import { askCounterparty } from '../server/ask-counterparty'

/** A page is waiting for the balance, and asks again by itself. */
const TIMEOUT_MS = 5_000
/** The response has two short fields. */
const RESPONSE_BYTES_MAX = 4 * 1024

const creditRecordSchema = z.object({
  credit_id: z.string(),
  amount_usd: z
    .number()
    .nonnegative()
    .nullish()
    .transform(amount => amount ?? 0),
})

export type HostCredit =
  | { outcome: 'found'; record: z.output<typeof creditRecordSchema> }
  | { outcome: 'unknown' }
  /** Slow, down, or invalid. */
  | { outcome: 'unavailable' }

/** Asks the payments host for a balance. The answer is accepted only in the agreed shape and about this credit_id. */
export async function fetchHostCredit(input: {
  host: string
  token: string
  creditId: string
}): Promise<HostCredit> {
  try {
    const { status, body, refusal } = await askCounterparty({
      url: `${input.host}/api/payments/account/${encodeURIComponent(input.creditId)}/credit`,
      headers: { authorization: `Bearer ${input.token}` },
      timeoutMs: TIMEOUT_MS,
      responseBytesMax: RESPONSE_BYTES_MAX,
    })
    // A proxy whose server is away may say 404, too, but not in the form that the specification has for it.
    if (status === 404 && typeof fieldsOf(refusal).error === 'string') return { outcome: 'unknown' }
    const record = creditRecordSchema.safeParse(body)
    return record.success && record.data.credit_id === input.creditId
      ? { outcome: 'found', record: record.data }
      : { outcome: 'unavailable' }
  } catch (error) {
    if (error instanceof GatewayError) return { outcome: 'unavailable' }
    throw error
  }
}
