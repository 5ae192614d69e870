import { isObject } from '@/lib/http/domain/is-object'

/** Signed addresses of storage hosts are long; beyond this they are no addresses. */
const ADDRESS_LENGTH_MAX = 8_192

/** One picture of an answer: its bytes or its address, with whatever its upstream says of it. */
type DrawnImage = Record<string, unknown> & ({ b64_json: string } | { url: string })

/** What an upstream answered, as far as it can be used. */
export interface DrawnImages {
  /** Unix seconds; null when not told. */
  createdAtSeconds: number | null
  images: DrawnImage[]
  /** The upstream's own words about what it counted. */
  usage: unknown
}

/**
 * The pictures in an upstream's answer. Entries that hold no picture are left out, and those beyond what
 * was asked for, so that what is counted is what is handed on. Null when it is no answer of this kind.
 */
export function readDrawnImages(body: Record<string, unknown>, imageCountMax: number): DrawnImages | null {
  if (!Array.isArray(body.data)) return null
  return {
    createdAtSeconds:
      typeof body.created === 'number' && Number.isSafeInteger(body.created) ? body.created : null,
    images: body.data.flatMap(readImage).slice(0, imageCountMax),
    usage: body.usage,
  }
}

function readImage(entry: unknown): DrawnImage[] {
  if (!isObject(entry)) return []
  const { b64_json: bytes, url } = entry
  if (typeof bytes === 'string' && isBase64(bytes)) return [{ ...entry, b64_json: bytes }]
  return typeof url === 'string' && isPictureAddress(url) ? [{ ...entry, url }] : []
}

/**
 * Judged by its two ends: reading megabytes for one odd character would hold other requests up. As large as it is,
 * since it has been read and is billed.
 */
function isBase64(text: string): boolean {
  const ends = text.slice(0, 64) + text.slice(-64)
  return text.length >= 4 && /^[A-Za-z0-9+/=_-]+$/.test(ends)
}

/** The server hands the address on and never goes there itself. */
function isPictureAddress(url: string): boolean {
  if (/^data:image\/[a-z.+-]+;base64,/i.test(url.slice(0, 64))) return true
  return url.length <= ADDRESS_LENGTH_MAX && /^https?:\/\/\S+$/i.test(url)
}
