import { isRecord } from '../storage/json'

/** A record of the image store (specification, section 3). */
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

/** Null for what is no image record. Other products keep the address as bare text beside its date. */
export function parseStoredImage(value: unknown): StoredImage | null {
  if (!isRecord(value) || typeof value.base64_json !== 'string') return null
  const source = isRecord(value.image_url) ? value.image_url : { ...value, url: value.image_url }
  return {
    image_url: {
      url: typeof source.url === 'string' ? source.url : '',
      created_at: typeof source.created_at === 'string' ? source.created_at : '',
    },
    base64_json: value.base64_json,
  }
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
