/** In pixels. */
export interface PictureSize {
  readonly width: number
  readonly height: number
}

/** Enough for most headers, and for those of every format: a photograph's metadata may come first. */
const HEADER_CHARACTERS = [4_096, 262_144]
const SIDE_PIXELS_MAX = 65_535
/** More than any model draws. Decoded, a pixel takes four bytes, and 65 kB of one colour can become 1.7 GB. */
const PIXELS_MAX = 50_000_000

/** The size of a picture, from the first bytes of its data URL; null if they do not contain it. */
export function readPictureSize(dataUrl: string): PictureSize | null {
  const size = sidesOf(dataUrl)
  return size && isSide(size.width) && isSide(size.height) ? size : null
}

/** Whether it can be shown without exhausting the page's memory, as far as its first bytes reveal. */
export function isShowable(dataUrl: string): boolean {
  const size = sidesOf(dataUrl)
  return size === null || size.width * size.height <= PIXELS_MAX
}

function sidesOf(dataUrl: string): PictureSize | null {
  const start = dataUrl.indexOf(';base64,') + ';base64,'.length
  if (!dataUrl.startsWith('data:image/') || start < ';base64,'.length) return null
  for (const length of HEADER_CHARACTERS) {
    const bytes = decode(dataUrl.slice(start, start + length))
    const size = bytes && (readPng(bytes) ?? readJpeg(bytes) ?? readWebp(bytes) ?? readGif(bytes))
    if (size) return size
  }
  return null
}

function decode(base64: string): DataView | null {
  try {
    const digits = base64.replace(/\s/g, '')
    const text = atob(digits.slice(0, digits.length - (digits.length % 4)))
    return new DataView(Uint8Array.from(text, character => character.charCodeAt(0)).buffer)
  } catch {
    return null
  }
}

function isSide(pixels: number): boolean {
  return pixels > 0 && pixels <= SIDE_PIXELS_MAX
}

function readPng(bytes: DataView): PictureSize | null {
  if (bytes.byteLength < 24 || bytes.getUint32(0) !== 0x89504e47) return null
  return { width: bytes.getUint32(16), height: bytes.getUint32(20) }
}

function readGif(bytes: DataView): PictureSize | null {
  if (bytes.byteLength < 10 || bytes.getUint32(0) !== 0x47494638) return null
  return { width: bytes.getUint16(6, true), height: bytes.getUint16(8, true) }
}

/** Skips segments up to the one that starts a frame. */
function readJpeg(bytes: DataView): PictureSize | null {
  if (bytes.byteLength < 4 || bytes.getUint16(0) !== 0xffd8) return null
  for (let at = 2; at + 9 <= bytes.byteLength && bytes.getUint8(at) === 0xff; ) {
    const marker = bytes.getUint8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: bytes.getUint16(at + 7), height: bytes.getUint16(at + 5) }
    at += 2 + bytes.getUint16(at + 2)
  }
  return null
}

/** Extended, lossless or lossy: each stores its size in a different place. */
function readWebp(bytes: DataView): PictureSize | null {
  if (bytes.byteLength < 30 || bytes.getUint32(0) !== 0x52494646) return null
  switch (bytes.getUint32(12)) {
    case 0x56503858: {
      const side = (at: number) => 1 + bytes.getUint16(at, true) + bytes.getUint8(at + 2) * 65_536
      return { width: side(24), height: side(27) }
    }
    case 0x5650384c: {
      const bits = bytes.getUint32(21, true)
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
    }
    default:
      return { width: bytes.getUint16(26, true) & 0x3fff, height: bytes.getUint16(28, true) & 0x3fff }
  }
}
