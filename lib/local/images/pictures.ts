import { createUuid } from '../uuid'
import { isShowable, type PictureSize, readPictureSize } from './picture-size'
import { isStoredImageUrl } from './stored-image'

/** The image store brings its database along; it is fetched when the first picture is. */
async function openImageStore() {
  const { imageStore } = await import('./image-store')
  return imageStore
}

/** Addresses under which the image store may have bytes: our own, and those that earlier versions kept. */
const isKept = (url: string): boolean => isStoredImageUrl(url) || /^https?:/i.test(url)

/**
 * A picture's bytes as a data URL; null when they are gone, were never on this device, or would take all of its
 * memory. Nothing is ever fetched from the web: its host would learn who looks.
 */
export async function resolvePicture(url: string): Promise<string | null> {
  const source = url.startsWith('data:image/') ? url : await findKept(url)
  return source && isShowable(source) ? source : null
}

async function findKept(url: string): Promise<string | null> {
  if (!isKept(url)) return null
  try {
    return await (await openImageStore()).resolve(url)
  } catch {
    // Private windows may have no database. The question goes out without the picture.
    return null
  }
}

const SIZE_IN_ADDRESS = /-(\d{1,5})x(\d{1,5})$/

/** What an address alone says of its picture's size: so its place is kept before its bytes are found. */
export function pictureSizeOf(url: string): PictureSize | null {
  if (!isStoredImageUrl(url)) return readPictureSize(url)
  const [, width = 0, height = 0] = SIZE_IN_ADDRESS.exec(url)?.map(Number) ?? []
  return width > 0 && height > 0 ? { width, height } : null
}

/**
 * Puts a picture away; returns the address that a message keeps. One that is only named by its address on
 * the web stays there, and is loaded on a click.
 */
export async function keepPicture(dataUrl: string, createdAt: string): Promise<string> {
  if (!dataUrl.startsWith('data:')) return dataUrl
  try {
    const size = readPictureSize(dataUrl)
    const id = size ? `${createUuid()}-${size.width}x${size.height}` : createUuid()
    return await (await openImageStore()).save(id, dataUrl, new Date(createdAt))
  } catch {
    // Without a database the message carries the bytes itself: better large than lost.
    return dataUrl
  }
}
