import { isObject } from '@/lib/http/domain/is-object'
import type { JsonRecord } from '../storage/json'
import { readDate } from '../storage/read-date'

/** A record of the image store. */
export interface StoredImage {
  image_url: { url: string; created_at: string }
  /**
   * The picture's bytes, as image models return them; a data address in stores of earlier builds and other products.
   */
  base64_json: string
  /** Only if the bytes do not reveal it. */
  media_type?: string
}

/** Addresses of images that only this browser has; a message's part refers to one. */
export const STORED_IMAGE_PREFIX = 'image-store:'

export function isStoredImageUrl(url: string): boolean {
  return url.startsWith(STORED_IMAGE_PREFIX)
}

/**
 * Null if it is not an image record. Other products store the address as plain text, the date beside it, or no address
 * at all, in which case the record's key is used.
 */
export function parseStoredImage(value: unknown, key?: unknown): StoredImage | null {
  if (!isObject(value) || typeof value.base64_json !== 'string') return null
  const source = isObject(value.image_url) ? value.image_url : { url: value.image_url }
  const isNamed = typeof source.url === 'string' && source.url !== ''
  return {
    image_url: {
      url: isNamed ? String(source.url) : key === undefined ? '' : `${STORED_IMAGE_PREFIX}${String(key)}`,
      created_at: readDate(source.created_at) ?? readDate(value.created_at) ?? '',
    },
    base64_json: value.base64_json,
    ...(typeof value.media_type === 'string' ? { media_type: value.media_type } : {}),
  }
}

/** With only the bytes in base64, as the field's name says. */
export function withBareBase64(image: StoredImage): StoredImage {
  const text = image.base64_json
  if (!text.startsWith('data:')) return image
  const comma = text.indexOf(',')
  const [media_type = '', ...parameters] = text.slice('data:'.length, comma).split(';')
  const base64 = parameters.includes('base64') ? text.slice(comma + 1) : encodeText(text.slice(comma + 1))
  const isTold = media_type === mediaTypeOf(base64)
  return { ...image, base64_json: base64, ...(isTold ? {} : { media_type }) }
}

function encodeText(escaped: string): string {
  const bytes = new TextEncoder().encode(unescapeText(escaped))
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''))
}

function unescapeText(escaped: string): string {
  try {
    return decodeURIComponent(escaped)
  } catch {
    return escaped
  }
}

/**
 * The record for a store with these key paths: other products' keys are the plain address, with the date beside it, or
 * a field of their own.
 */
export function recordOf(image: StoredImage, keyPaths: readonly string[]): JsonRecord {
  const { url, created_at } = image.image_url
  const record: JsonRecord = { ...image }
  for (const path of keyPaths) {
    if (path === 'created_at') record.created_at = created_at
    else if (path === 'image_url') Object.assign(record, { image_url: url, created_at })
    else if (!path.startsWith('image_url.')) record[path] = url
  }
  return record
}

/** The first base64 characters of each format, from the bytes that its files begin with. */
const TYPES_BY_START: readonly (readonly [string, string])[] = [
  ['iVBORw', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
  ['R0lGOD', 'image/gif'],
  ['PHN2Zy', 'image/svg+xml'],
  ['PD94bWw', 'image/svg+xml'],
]

export function mediaTypeOf(base64: string): string {
  return TYPES_BY_START.find(([start]) => base64.startsWith(start))?.[1] ?? 'image/png'
}

export function dataUrlOf({ base64_json: base64, media_type }: StoredImage): string {
  return base64.startsWith('data:') ? base64 : `data:${media_type ?? mediaTypeOf(base64)};base64,${base64}`
}
