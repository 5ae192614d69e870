/** The specification's credit record (section 3), or its error object. */
export type CreditAnswer = { record: CreditRecord } | { error: string }

export interface CreditRecord {
  creditId: string
  /** Dollars; 0 when the answer names none. */
  amountUsd: number
}

/** Null when the answer is no credit record: another shape, or an amount that no balance can have. */
export function parseCreditRecord(body: unknown): CreditRecord | null {
  if (typeof body !== 'object' || body === null || !('credit_id' in body)) return null
  const amount = 'amount_usd' in body ? (body.amount_usd ?? 0) : 0
  if (typeof body.credit_id !== 'string') return null
  if (typeof amount !== 'number' || !Number.isFinite(amount) || amount < 0) return null
  return { creditId: body.credit_id, amountUsd: amount }
}
