import { isStoredDocumentUrl } from './stored-document'

/** A document stored in this browser, as far as a request needs it. */
export interface ResolvedDocument {
  readonly name: string
  /** Empty if it has none, as in a scanned PDF. */
  readonly text: string
  readonly isPdf: boolean
  readonly pageCount: number | null
  readonly isCut: boolean
  /** The file as a data URL; null if it is gone. */
  readonly readFile: () => Promise<string | null>
}

/** The document store includes its database, so it is only fetched with the first document. */
async function openDocumentStore() {
  const { documentStore } = await import('./document-store')
  return documentStore
}

/** Null if it is gone, or was never on this device. Nothing is ever fetched from the web. */
export async function resolveDocument(url: string): Promise<ResolvedDocument | null> {
  if (!isStoredDocumentUrl(url)) return null
  try {
    const store = await openDocumentStore()
    const document = await store.get(url)
    if (!document) return null
    const { name, text, media_type: mediaType, page_count: pageCount, is_cut: isCut } = document
    const readFile = async () => {
      const bytes = await store.bytesOf(url)
      return bytes && dataUrlOf(new Blob([bytes], { type: mediaType }))
    }
    return { name, text, pageCount, isCut, isPdf: mediaType === 'application/pdf', readFile }
  } catch {
    // Private windows may have no database. The question is then sent without the document.
    return null
  }
}

/** The file, to be saved to disk; null if it is gone. Its type is never one that a browser would open. */
export async function readDocumentFile(url: string): Promise<Blob | null> {
  const bytes = url.startsWith('data:') ? await decodeDataUrl(url) : await readStored(url)
  return bytes && new Blob([bytes], { type: 'application/octet-stream' })
}

async function readStored(url: string): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!isStoredDocumentUrl(url)) return null
  try {
    return await (await openDocumentStore()).bytesOf(url)
  } catch {
    return null
  }
}

/** Decoded here, because our policy does not allow scripts to fetch a data address. */
async function decodeDataUrl(url: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const comma = url.indexOf(',')
  const payload = url.slice(comma + 1)
  try {
    if (!/;base64$/i.test(url.slice(0, comma))) return new TextEncoder().encode(decodeURIComponent(payload))
    return Uint8Array.from(atob(payload), character => character.charCodeAt(0))
  } catch {
    return null
  }
}

function dataUrlOf(blob: Blob): Promise<string | null> {
  return new Promise(resolve => {
    const reader = new FileReader()
    reader.onload = () => resolve(typeof reader.result === 'string' ? reader.result : null)
    reader.onerror = () => resolve(null)
    reader.readAsDataURL(blob)
  })
}
