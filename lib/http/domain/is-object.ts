export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Of anything that came from outside; none of what is no object. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}

/** The same of a list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
