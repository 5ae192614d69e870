import { within } from '@/lib/http/domain/within'
import { keepPicture } from '@/lib/local/images/pictures'

/** Models use about this many pixels a side; more would only cost money. */
const SIDE_PIXELS_MAX = 1_568
const JPEG_QUALITY = 0.85
/** Longer than the largest one takes on a slow phone. Other files wait meanwhile, and some decoders never answer. */
const DECODING_MS_MAX = 20_000

/** Scales a picture down and stores it. Returns its address, or null if the file cannot be read. */
export async function attachPicture(file: File, now: Date): Promise<string | null> {
  const dataUrl = await shrinkPicture(file)
  return dataUrl && keepPicture(dataUrl, now.toISOString())
}

/** A JPEG small enough to send, as a data URL. */
async function shrinkPicture(file: File): Promise<string | null> {
  try {
    const bitmap = await within(DECODING_MS_MAX, createImageBitmap(file))
    if (!bitmap) return null
    const scale = Math.min(1, SIDE_PIXELS_MAX / Math.max(bitmap.width, bitmap.height))
    const canvas = document.createElement('canvas')
    canvas.width = Math.max(1, Math.round(bitmap.width * scale))
    canvas.height = Math.max(1, Math.round(bitmap.height * scale))
    const context = canvas.getContext('2d')
    if (!context) return null
    // JPEG has no transparency, so transparent pixels become white instead of black.
    context.fillStyle = '#fff'
    context.fillRect(0, 0, canvas.width, canvas.height)
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
    bitmap.close()
    return canvas.toDataURL('image/jpeg', JPEG_QUALITY)
  } catch {
    return null
  }
}
