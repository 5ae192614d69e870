import { isObject } from '@/lib/http/domain/is-object'
import type { JsonRecord } from '../storage/json'
import { readDate } from '../storage/read-date'

/** A record of the image store. */
export interface StoredImage {
  image_url: { url: string; created_at: string }
  /** A data address, or bare base64 as image models answer with. */
  base64_json: string
}

/** Addresses of images that only this browser has; a message's part refers to one. */
export const STORED_IMAGE_PREFIX = 'image-store:'

export function isStoredImageUrl(url: string): boolean {
  return url.startsWith(STORED_IMAGE_PREFIX)
}

/**
 * Null for what is no image record. Other products keep the address as bare text, the date beside it, and
 * no address at all: then the record's key names it.
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
  }
}

/**
 * The record for a store with these key paths: other products' keys are the bare address, its date beside
 * it, or a field of their own.
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

/** The first characters of base64 tell the format of the bytes. */
const TYPES_BY_START: readonly (readonly [string, string])[] = [
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
]

export function dataUrlOf(image: StoredImage): string {
  const base64 = image.base64_json
  if (base64.startsWith('data:')) return base64
  const type = TYPES_BY_START.find(([start]) => base64.startsWith(start))?.[1] ?? 'image/png'
  return `data:${type};base64,${base64}`
}
