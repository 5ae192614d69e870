import { saveFile, timeInName } from '@/components/ui/save-file'
import { resolvePicture } from '@/lib/local/images/pictures'

const DATA_URL = /^data:(image\/([a-z]+)[a-z.+-]*);base64,/i
/** Formats whose usual extension is not their name. */
const ENDINGS: Readonly<Record<string, string>> = { jpeg: 'jpg' }

/** Downloads a picture; false if its bytes are gone. */
export async function savePicture(url: string): Promise<boolean> {
  const source = await resolvePicture(url)
  const file = source === null ? null : toFile(source)
  if (!file) return false
  saveFile(file.blob, `picture-${timeInName(new Date())}.${file.ending}`)
  return true
}

/** Null if the text is no picture as a base64 data URL. */
export function toFile(dataUrl: string): { blob: Blob; ending: string } | null {
  const [beginning, type = '', format = ''] = DATA_URL.exec(dataUrl) ?? []
  if (beginning === undefined) return null
  try {
    const text = atob(dataUrl.slice(beginning.length))
    const bytes = Uint8Array.from(text, character => character.charCodeAt(0))
    return {
      blob: new Blob([bytes], { type }),
      ending: ENDINGS[format.toLowerCase()] ?? format.toLowerCase(),
    }
  } catch {
    return null
  }
}
