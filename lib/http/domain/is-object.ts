export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The fields of an untrusted value; none if it is not an object. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}

/** The items of an untrusted value; none if it is not an array. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** An untrusted value as text; empty if it is none. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** An untrusted value as a count; null if it is none. */
export function readCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

/** Whether an untrusted value is a number that can be an amount, a count or a time. */
export function isNotNegative(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
