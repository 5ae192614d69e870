import 'server-only'
import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'

const SIZE_PIXELS = 256
const PAPER = [250, 246, 240] as const

/** A coin in a tint derived from the prompt: the same prompt draws the same coin. */
export function drawCoin(prompt: string, index: number): Buffer {
  const [tint = 0, shine = 0] = createHash('sha256').update(`${index}:${prompt}`).digest()
  const metal = [140 + (tint % 100), 90 + (shine % 90), 40 + ((tint + shine) % 80)] as const
  const pixels = new Uint8Array(SIZE_PIXELS * SIZE_PIXELS * 3)
  const centre = SIZE_PIXELS / 2
  for (let y = 0; y < SIZE_PIXELS; y += 1) {
    for (let x = 0; x < SIZE_PIXELS; x += 1) {
      const distance = Math.hypot(x - centre, y - centre) / centre
      const light = lightAt(distance, (x + y) / (2 * SIZE_PIXELS))
      for (let channel = 0; channel < 3; channel += 1) {
        const colour = light === null ? (PAPER[channel] ?? 0) : (metal[channel] ?? 0) * light
        pixels[(y * SIZE_PIXELS + x) * 3 + channel] = Math.min(255, Math.round(colour))
      }
    }
  }
  return encodePng(pixels)
}

/** Null outside the coin; brighter at the upper left, with a darker ring for its rim. */
function lightAt(distance: number, diagonal: number): number | null {
  if (distance > 0.9) return null
  const rim = distance > 0.78 && distance < 0.82 ? 0.7 : 1
  return (1.25 - diagonal * 0.6) * rim
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Eight bits per channel, colour type 2 (RGB), default compression and filter, not interlaced. */
const HEADER_TAIL = Buffer.from([8, 2, 0, 0, 0])

/** A square PNG of RGB pixels, row by row. */
function encodePng(pixels: Uint8Array): Buffer {
  const rowBytes = SIZE_PIXELS * 3
  const raw = Buffer.alloc((rowBytes + 1) * SIZE_PIXELS)
  for (let row = 0; row < SIZE_PIXELS; row += 1) {
    // Each row begins with its filter, 0 for none, which is what alloc fills in.
    raw.set(pixels.subarray(row * rowBytes, (row + 1) * rowBytes), row * (rowBytes + 1) + 1)
  }
  const header = Buffer.alloc(8)
  header.writeUInt32BE(SIZE_PIXELS, 0)
  header.writeUInt32BE(SIZE_PIXELS, 4)
  return Buffer.concat([
    SIGNATURE,
    pngChunk('IHDR', Buffer.concat([header, HEADER_TAIL])),
    pngChunk('IDAT', deflateSync(raw)),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}
