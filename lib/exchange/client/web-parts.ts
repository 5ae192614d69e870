import { safeDocumentName } from '@/lib/documents/domain/document-name'
import type { ContentPart, Message } from '@/lib/local/domain/conversation'

// Imported histories may hold pictures and documents by their address on the web. The browser fetches nothing from
// there: a model's host is given the address, or nothing.

/** Longer ones are data in disguise. */
const ADDRESS_LENGTH_MAX = 2_048

/** An address that a model's host may be asked to fetch: https, and without a password. */
export function isWebAddress(url: string): boolean {
  if (url.length > ADDRESS_LENGTH_MAX || !URL.canParse(url)) return false
  const { protocol, username, password } = new URL(url)
  return protocol === 'https:' && username === '' && password === ''
}

/** The name of a file that has only an address. */
export function nameOfAddress(url: string): string {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return safeDocumentName('')
  const { pathname, host } = new URL(url)
  return safeDocumentName(pathname.split('/').findLast(Boolean) ?? host)
}

/** Whether a message has anything besides text. */
export function hasAttachments({ role, content }: Message): boolean {
  return role === 'user' && typeof content !== 'string' && content.some(({ type }) => type !== 'text')
}

interface UnsentParts {
  /** Pictures, if the model takes none. */
  readonly pictureCount: number
  /** What exists only on the web, each address once. */
  readonly names: readonly string[]
}

export const NOTHING_UNSENT: UnsentParts = { pictureCount: 0, names: [] }

/** What these messages hold that the model will not be given. */
export async function unsentParts(
  messages: readonly Message[],
  model: { readonly takesPictures: boolean; readonly takesFiles: boolean },
): Promise<UnsentParts> {
  const names = new Set<string>()
  let pictureCount = 0
  for (const { content } of messages.filter(hasAttachments)) {
    for (const part of typeof content === 'string' ? [] : content) {
      const isPicture = part.type === 'image_url'
      if (isPicture && !model.takesPictures) pictureCount += 1
      const address = addressOf(part)
      if (address === null || (isPicture && !model.takesPictures)) continue
      if ((isPicture ? model.takesPictures : model.takesFiles) && isWebAddress(address)) continue
      if (isPicture && (await isHere(address))) continue
      const name = part.type === 'document_url' ? part.document_url.name : undefined
      names.add(name ? safeDocumentName(name) : nameOfAddress(address))
    }
  }
  return { pictureCount, names: [...names] }
}

/** Pictures are rare: what reads them is fetched with the first one. */
async function isHere(address: string): Promise<boolean> {
  const { resolvePicture } = await import('@/lib/local/images/pictures')
  return (await resolvePicture(address)) !== null
}

function addressOf(part: ContentPart): string | null {
  const url =
    part.type === 'image_url' ? part.image_url.url : part.type === 'document_url' ? part.document_url.url : ''
  return /^https?:/i.test(url) ? url : null
}
