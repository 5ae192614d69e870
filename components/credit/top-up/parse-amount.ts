/** Dollars with at most two decimals, a comma or a point between. */
const AMOUNT_PATTERN = /^\d{1,6}([.,]\d{1,2})?$/

export type AmountProblem = 'malformed' | 'too_small' | 'too_large'

/** What a person typed as dollars, checked against the method's limits. */
export function parseAmount(
  text: string,
  limits: { minimumUsd: number; maximumUsd: number },
): { amountUsd: number } | { problem: AmountProblem } {
  const trimmed = text.trim().replace(/^\$\s*|\s*\$$/g, '')
  if (!AMOUNT_PATTERN.test(trimmed)) return { problem: 'malformed' }
  const amountUsd = Number(trimmed.replace(',', '.'))
  if (amountUsd < limits.minimumUsd) return { problem: 'too_small' }
  if (amountUsd > limits.maximumUsd) return { problem: 'too_large' }
  return { amountUsd }
}
