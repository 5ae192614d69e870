/** The names and the legacy codes with which browsers report a full storage. */
const QUOTA_ERROR_NAMES = new Set(['QuotaExceededError', 'NS_ERROR_DOM_QUOTA_REACHED', 'QUOTA_EXCEEDED_ERR'])
const QUOTA_ERROR_CODES = new Set([22, 1014])

export function isQuotaExceeded(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  if ('name' in error && typeof error.name === 'string' && QUOTA_ERROR_NAMES.has(error.name)) return true
  if ('code' in error && typeof error.code === 'number' && QUOTA_ERROR_CODES.has(error.code)) return true

  return 'inner' in error && error.inner !== error && isQuotaExceeded(error.inner)
}
