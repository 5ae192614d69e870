import { createUuid } from '../uuid'
import { isShowable, type PictureSize, readPictureSize } from './picture-size'
import { isStoredImageUrl } from './stored-image'

/** The image store includes its database, so it is only fetched with the first picture. */
async function openImageStore() {
  const { imageStore } = await import('./image-store')
  return imageStore
}

/** Addresses whose bytes the image store may have: our own, and those that earlier versions stored. */
const isKept = (url: string): boolean => isStoredImageUrl(url) || /^https?:/i.test(url)

/**
 * A picture's bytes as a data URL; null if they are gone, were never on this device, or would exhaust its memory.
 * Nothing is ever fetched from the web, because the host would learn who views it.
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
    // Private windows may have no database. The question is then sent without the picture.
    return null
  }
}

const SIZE_IN_ADDRESS = /-(\d{1,5})x(\d{1,5})$/

/** The picture's size as far as the address contains it, so that its space is reserved before its bytes are found. */
export function pictureSizeOf(url: string): PictureSize | null {
  if (!isStoredImageUrl(url)) return readPictureSize(url)
  const [, width = 0, height = 0] = SIZE_IN_ADDRESS.exec(url)?.map(Number) ?? []
  return width > 0 && height > 0 ? { width, height } : null
}

/**
 * Stores a picture and returns the address for the message. A picture that only has an address on the web stays there,
 * and is loaded on a click.
 */
export async function keepPicture(dataUrl: string, createdAt: string): Promise<string> {
  if (!dataUrl.startsWith('data:')) return dataUrl
  try {
    const size = readPictureSize(dataUrl)
    const id = size ? `${createUuid()}-${size.width}x${size.height}` : createUuid()
    return await (await openImageStore()).save(id, dataUrl, new Date(createdAt))
  } catch {
    // Without a database the message contains the bytes itself: better large than lost.
    return dataUrl
  }
}
