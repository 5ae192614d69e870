import 'server-only'
import { isObject } from '../domain/is-object'

/** Null for anything that is not a JSON object: what an upstream sends is never trusted to be one. */
export function parseJsonObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}
