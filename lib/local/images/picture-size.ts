/** In pixels. */
export interface PictureSize {
  readonly width: number
  readonly height: number
}

/** Enough for most headers, then for a photograph's metadata, which may come first, of whatever size. */
const HEADER_CHARACTERS = [4_096, 262_144, Number.POSITIVE_INFINITY]
const SIDE_PIXELS_MAX = 65_535
/** More than any model draws. Decoded, a pixel takes four bytes, and 65 kB of one colour can become 1.7 GB. */
const PIXELS_MAX = 50_000_000

/** How the formats begin that browsers know: those whose size is read here, and BMP, icons, TIFF, JPEG XL and 2000, PDF. */
const PICTURE_STARTS = [
  '\x89PNG',
  '\xff\xd8',
  'GIF8',
  'RIFF',
  'BM',
  '\0\0\x01\0',
  '\0\0\x02\0',
  'II*\0',
  'MM\0*',
  '\xff\x0a',
  '\xff\x4f',
  '%PDF',
]
/** Their first box names them: AVIF and HEIC, JPEG XL and 2000. */
const PICTURE_BOXES = ['ftyp', 'JXL ', 'jP  ']
const BEGINNING_CHARACTERS = 64

const DRAWING = /^data:image\/svg\+xml[;,]/i
/**
 * The elements of a drawing that draw what they contain once. Others repeat it: ten levels of ten `use` each would keep
 * the page busy for hours.
 */
const PLAIN_ELEMENTS = new Set(
  'svg g a defs title desc path rect circle ellipse line polyline polygon text tspan linearGradient radialGradient stop'.split(
    ' ',
  ),
)

/** The size of a picture, from the first bytes of its data URL; null if they do not contain it. */
export function readPictureSize(dataUrl: string): PictureSize | null {
  const base64 = base64Of(dataUrl)
  const size = base64 === null ? null : sidesOf(base64)
  return size && isSide(size.width) && isSide(size.height) ? size : null
}

/** Whether it can be shown without exhausting the page's memory. */
export function isShowable(dataUrl: string): boolean {
  const base64 = base64Of(dataUrl)
  const beginning = base64 === null ? null : decode(base64.slice(0, BEGINNING_CHARACTERS))
  if (base64 === null || beginning === null) return false
  if (DRAWING.test(dataUrl)) return isPlainDrawing(base64)
  const size = sidesOf(base64)
  // Browsers go by the bytes, whatever type the address names; what none can decode is no danger.
  return size ? size.width * size.height <= PIXELS_MAX : !isPicture(beginning)
}

function isPicture(beginning: string): boolean {
  return (
    PICTURE_STARTS.some(start => beginning.startsWith(start)) ||
    PICTURE_BOXES.some(box => beginning.startsWith(box, 4))
  )
}

/** Everything that looks like an element counts, even in a comment; without an `svg` it is in another encoding. */
function isPlainDrawing(base64: string): boolean {
  const text = decode(base64) ?? ''
  const names = Array.from(text.matchAll(/<(?!\/|!--|\?xml\s)([^\s/>]*)/g), ([, name = '']) => name)
  return names.includes('svg') && names.every(name => PLAIN_ELEMENTS.has(name))
}

function sidesOf(base64: string): PictureSize | null {
  for (const length of HEADER_CHARACTERS) {
    const bytes = bytesOf(base64.slice(0, length))
    const size = bytes && (readPng(bytes) ?? readJpeg(bytes) ?? readWebp(bytes) ?? readGif(bytes))
    if (size) return size
    if (length >= base64.length) break
  }
  return null
}

/** Null in any other spelling, which browsers may read all the same. */
function base64Of(dataUrl: string): string | null {
  const comma = dataUrl.indexOf(',')
  const head = dataUrl.slice(0, comma)
  return head.startsWith('data:image/') && head.endsWith(';base64') ? dataUrl.slice(comma + 1) : null
}

function bytesOf(base64: string): DataView | null {
  const text = decode(base64)
  return text === null
    ? null
    : new DataView(Uint8Array.from(text, character => character.charCodeAt(0)).buffer)
}

/** Each byte as a character. */
function decode(base64: string): string | null {
  try {
    const digits = base64.replace(/\s/g, '')
    return atob(digits.slice(0, digits.length - (digits.length % 4)))
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

/** If the first frame is larger than the screen that it is for, browsers give the picture the frame's size. */
function readGif(bytes: DataView): PictureSize | null {
  if (bytes.byteLength < 13 || bytes.getUint32(0) !== 0x47494638) return null
  const frame = firstFrameOf(bytes)
  if (frame === null) return null
  const side = (at: number) => bytes.getUint16(at, true)
  return {
    width: Math.max(side(6), side(frame) + side(frame + 4)),
    height: Math.max(side(8), side(frame + 2) + side(frame + 6)),
  }
}

/** Where the place and size of the first frame begin: behind the colours of the screen, and any extensions. */
function firstFrameOf(bytes: DataView): number | null {
  const flags = bytes.getUint8(10)
  let at = 13 + (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)
  while (at + 9 <= bytes.byteLength) {
    const kind = bytes.getUint8(at)
    if (kind === 0x2c) return at + 1
    if (kind !== 0x21) return null
    at += 2
    while (at < bytes.byteLength && bytes.getUint8(at) > 0) at += 1 + bytes.getUint8(at)
    at += 1
  }
  return null
}

/** Skips segments up to the one that starts a frame. */
function readJpeg(bytes: DataView): PictureSize | null {
  if (bytes.byteLength < 4 || bytes.getUint16(0) !== 0xffd8) return null
  for (let at = 2; at + 9 <= bytes.byteLength && bytes.getUint8(at) === 0xff; ) {
    const marker = bytes.getUint8(at + 1)
    // Marks without a segment, which no file has here.
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd9)) return null
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { width: bytes.getUint16(at + 7), height: bytes.getUint16(at + 5) }
    // A mark may be filled up in front.
    at += marker === 0xff ? 1 : 2 + bytes.getUint16(at + 2)
  }
  return null
}

/** Extended, lossless or lossy: each stores its size in a different place. */
function readWebp(bytes: DataView): PictureSize | null {
  if (bytes.byteLength < 30 || bytes.getUint32(0) !== 0x52494646) return null
  if (bytes.getUint32(8) !== 0x57454250) return null
  switch (bytes.getUint32(12)) {
    case 0x56503858: {
      const side = (at: number) => 1 + bytes.getUint16(at, true) + bytes.getUint8(at + 2) * 65_536
      return { width: side(24), height: side(27) }
    }
    case 0x5650384c: {
      const bits = bytes.getUint32(21, true)
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
    }
    case 0x56503820:
      return { width: bytes.getUint16(26, true) & 0x3fff, height: bytes.getUint16(28, true) & 0x3fff }
    default:
      return null
  }
}
