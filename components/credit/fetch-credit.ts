import { textOf } from '@/lib/http/client/call-api'
import { fieldsOf, isNotNegative } from '@/lib/http/domain/is-object'

/** The specification's credit record, or its error object. */
export type CreditAnswer = { record: CreditRecord } | { error: string; isUnknown?: boolean }

export interface CreditRecord {
  creditId: string
  /** Dollars; 0 if the response has no amount. */
  amountUsd: number
}

interface FetchCreditDependencies {
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Receives the status text of a 404, and nothing that identifies the credit. */
  log: (text: string) => void
}

/** A slower request counts as failed; SWR tries again. */
const TIMEOUT_MS = 15_000

/** The specification's call. A 404 is logged and returned as an error value; it throws if the request itself failed. */
export async function fetchCredit(
  creditId: string,
  { fetch, log }: FetchCreditDependencies,
): Promise<CreditAnswer> {
  const response = await fetch(`/api/payments/account/${encodeURIComponent(creditId)}/credit`, {
    cache: 'no-store',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (response.status === 404) {
    // Over HTTP/2 there is no status text. A proxy whose server is away may say 404, too, but not in these words.
    const told = textOf(await response.json().catch(() => null), 'error')
    const text = response.statusText || (told ?? `HTTP ${response.status}`)
    log(text)
    return { error: text, isUnknown: told !== null }
  }
  const record = response.ok ? parseCreditRecord(await response.json()) : null
  return record ? { record } : { error: response.statusText }
}

/** Null if the response is no credit record: another shape, or an amount that no balance can have. */
export function parseCreditRecord(body: unknown): CreditRecord | null {
  const { credit_id: creditId, amount_usd } = fieldsOf(body)
  const amountUsd = amount_usd ?? 0
  return typeof creditId === 'string' && isNotNegative(amountUsd) ? { creditId, amountUsd } : null
}
