import { keepPicture } from '@/lib/local/images/pictures'

/** Models look at about this many pixels a side; more only costs money. */
const SIDE_PIXELS_MAX = 1_568
const JPEG_QUALITY = 0.85

/** Makes a picture small and puts it away; its address, or null when the file is none that can be read. */
export async function attachPicture(file: File, now: Date): Promise<string | null> {
  const dataUrl = await shrinkPicture(file)
  return dataUrl && keepPicture(dataUrl, now.toISOString())
}

/** A JPEG small enough to send, as a data URL. */
async function shrinkPicture(file: File): Promise<string | null> {
  if (!file.type.startsWith('image/') || file.type === 'image/svg+xml') return null
  try {
    const bitmap = await createImageBitmap(file)
    const scale = Math.min(1, SIDE_PIXELS_MAX / Math.max(bitmap.width, bitmap.height))
    const canvas = document.createElement('canvas')
    canvas.width = Math.max(1, Math.round(bitmap.width * scale))
    canvas.height = Math.max(1, Math.round(bitmap.height * scale))
    const context = canvas.getContext('2d')
    if (!context) return null
    // JPEG knows no transparency: what would turn black is paper instead.
    context.fillStyle = '#fff'
    context.fillRect(0, 0, canvas.width, canvas.height)
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height)
    bitmap.close()
    return canvas.toDataURL('image/jpeg', JPEG_QUALITY)
  } catch {
    return null
  }
}
