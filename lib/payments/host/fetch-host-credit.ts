import 'server-only'
import { z } from 'zod'

/** A page is waiting for the balance; SWR asks again by itself. */
const TIMEOUT_MS = 5_000
/** The record has two short fields. */
const RESPONSE_BYTES_MAX = 4 * 1024

const creditRecordSchema = z.object({ credit_id: z.string(), amount_usd: z.number().nonnegative() })

export type HostCredit =
  | { outcome: 'found'; record: z.output<typeof creditRecordSchema> }
  | { outcome: 'unknown' }
  /** Slow, down, or not to be believed. */
  | { outcome: 'unavailable' }

/** Asks the payments host for a balance. What it answers is believed only in the agreed shape, about this credit_id. */
export async function fetchHostCredit(input: {
  host: string
  token: string
  creditId: string
}): Promise<HostCredit> {
  try {
    const response = await fetch(
      `${input.host}/api/payments/account/${encodeURIComponent(input.creditId)}/credit`,
      {
        headers: { authorization: `Bearer ${input.token}`, accept: 'application/json' },
        redirect: 'error',
        cache: 'no-store',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      },
    )
    if (response.status === 404) return { outcome: 'unknown' }
    if (!response.ok) return { outcome: 'unavailable' }
    const record = creditRecordSchema.safeParse(JSON.parse(await readBounded(response)))
    return record.success && record.data.credit_id === input.creditId
      ? { outcome: 'found', record: record.data }
      : { outcome: 'unavailable' }
  } catch {
    // Whatever went wrong, no balance is known; the cause may carry the credit_id and stays here.
    return { outcome: 'unavailable' }
  }
}

/** @throws Error when the answer is longer than any honest one */
async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let byteCount = 0
  for await (const chunk of response.body ?? []) {
    byteCount += chunk.byteLength
    if (byteCount > RESPONSE_BYTES_MAX) throw new Error('The answer is too long.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
