import { type CreditAnswer, parseCreditRecord } from './credit-record'

interface FetchCreditDependencies {
  fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Gets the status text of a 404, and nothing that names the credit. */
  log: (text: string) => void
}

/** A balance that takes longer is treated as failed; SWR asks again. */
const TIMEOUT_MS = 15_000

/**
 * The specification's call (sections 7 and 8). A 404 is logged and answered with an error value; what
 * is thrown means that the question could not be asked.
 */
export async function fetchCredit(
  creditId: string,
  { fetch, log }: FetchCreditDependencies,
): Promise<CreditAnswer> {
  const response = await fetch(`/api/payments/account/${encodeURIComponent(creditId)}/credit`, {
    cache: 'no-store',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (response.status === 404) {
    log(response.statusText)
    return { error: response.statusText }
  }
  const record = response.ok ? parseCreditRecord(await response.json()) : null
  return record ? { record } : { error: response.statusText }
}
