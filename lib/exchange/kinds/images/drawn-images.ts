import { isObject } from '@/lib/http/domain/is-object'

/** Signed addresses of storage hosts are long, but not longer than this. */
const ADDRESS_LENGTH_MAX = 8_192

/** One picture of an answer: its bytes or its address, with what the upstream says about it. */
type DrawnImage = Record<string, unknown> & ({ b64_json: string } | { url: string })

/** The usable part of an upstream's answer. */
export interface DrawnImages {
  /** Unix seconds; null if the upstream sent none. */
  createdAtSeconds: number | null
  images: DrawnImage[]
  /** The upstream's report of usage. */
  usage: unknown
}

/**
 * The pictures in an upstream's answer, without entries that hold none, and without more than were requested, so that
 * exactly what is passed on is counted. Null if it is no answer of this kind.
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
 * Only its two ends are checked: scanning megabytes for an invalid character would hold up other requests. Its size is
 * not limited, since it has been read and is billed.
 */
function isBase64(text: string): boolean {
  const ends = text.slice(0, 64) + text.slice(-64)
  return text.length >= 4 && /^[A-Za-z0-9+/=_-]+$/.test(ends)
}

/** The server hands the address on and never fetches it. */
function isPictureAddress(url: string): boolean {
  if (/^data:image\/[a-z.+-]+;base64,/i.test(url.slice(0, 64))) return true
  return url.length <= ADDRESS_LENGTH_MAX && /^https?:\/\/\S+$/i.test(url)
}
