import { isObject } from '@/lib/http/domain/is-object'
import { scrubText } from './scrub-text'

/** What of a value may leave; undefined for none of it. */
export type Clean = (value: unknown) => unknown

/** The SDK's own bounds are 50 frames, 1,000 spans and a minute of profile samples at 100 a second. */
const ITEM_COUNT_MAX = 6_000

export const text: Clean = value => (typeof value === 'string' ? scrubText(value) : undefined)
export const number: Clean = value =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined
export const boolean: Clean = value => (typeof value === 'boolean' ? value : undefined)
export const scalar: Clean = value => text(value) ?? number(value) ?? boolean(value)

/** Made by the SDK, never from data: 16 or 32 hexadecimal digits. */
export const identifier: Clean = value =>
  typeof value === 'string' && /^[0-9a-f]{16}([0-9a-f]{16})?$/.test(value) ? value : undefined

/** Only the named fields, each cleaned in its way; whatever is missing or of another kind is left out. */
export function cleanObject(
  shape: Readonly<Record<string, Clean>>,
): (value: unknown) => Record<string, unknown> {
  return value => {
    const source = isObject(value) ? value : {}
    const cleaned = Object.entries(shape).map(([name, clean]) => [name, clean(source[name])] as const)
    return Object.fromEntries(cleaned.filter(([, field]) => field !== undefined))
  }
}

/** As `cleanObject`, but absent when there is nothing to clean. */
export function optional(shape: Readonly<Record<string, Clean>>): Clean {
  const clean = cleanObject(shape)
  return value => (isObject(value) ? clean(value) : undefined)
}

export function list(clean: Clean): Clean {
  return value => (Array.isArray(value) ? value.slice(0, ITEM_COUNT_MAX).map(clean) : undefined)
}

/** Names that are not known in advance. */
export function table(clean: Clean): Clean {
  return value =>
    isObject(value)
      ? Object.fromEntries(
          Object.entries(value)
            .slice(0, ITEM_COUNT_MAX)
            .map(([name, field]) => [scrubText(name), clean(field)]),
        )
      : undefined
}
