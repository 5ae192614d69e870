import 'server-only'
import { createHash } from 'node:crypto'
import { encodePng } from './encode-png'

const SIZE_PIXELS = 256
const PAPER = [250, 246, 240] as const

/** A coin in a tint that the prompt decides: the same prompt, the same coin. */
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
  return encodePng(SIZE_PIXELS, SIZE_PIXELS, pixels)
}

/** Null outside the coin; brighter at the upper left, with a darker ring for its rim. */
function lightAt(distance: number, diagonal: number): number | null {
  if (distance > 0.9) return null
  const rim = distance > 0.78 && distance < 0.82 ? 0.7 : 1
  return (1.25 - diagonal * 0.6) * rim
}
