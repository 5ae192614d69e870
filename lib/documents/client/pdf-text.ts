import { getDocument, PasswordException } from 'pdfjs-dist/legacy/build/pdf.mjs'
// The part of the library that parses. The other part finds it under a global name, in this same thread.
import 'pdfjs-dist/legacy/build/pdf.worker.mjs'
import { cutText } from '@/lib/http/domain/cut-text'
import { PAGE_COUNT_MAX, TEXT_LENGTH_MAX } from '../domain/document-limits'
import type { ReadResult } from '../domain/read-document'

type Pdf = Awaited<ReturnType<typeof getDocument>['promise']>
type Page = Awaited<ReturnType<Pdf['getPage']>>

/** Adobe's predefined character maps for East Asian fonts; next.config makes each a file of our own site. */
const CHARACTER_MAPS = import.meta.glob<string>('/node_modules/pdfjs-dist/cmaps/*.bcmap', {
  eager: true,
  import: 'default',
})

/** Without its map, the extracted text would not be what the document says. */
let isMapMissing = false

/** Only fetches these maps, from our own site; nothing that the document refers to. */
class OwnFilesOnly {
  async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
    const key = `/node_modules/pdfjs-dist/cmaps/${filename}`
    const address = Object.hasOwn(CHARACTER_MAPS, key) ? CHARACTER_MAPS[key] : undefined
    if (kind !== 'cMapUrl' || !address)
      throw new Error('There is no such file, or it is not needed for text.')
    const response = await fetch(new URL(address, location.origin)).catch(() => null)
    isMapMissing ||= !response?.ok
    if (!response?.ok) throw new Error('The character map could not be loaded.')
    return new Uint8Array(await response.arrayBuffer())
  }
}

/**
 * The text of a PDF, within the limits of pages and length. Nothing is rendered, and the document's scripts, forms and
 * embedded files are ignored. Call it in a worker that can be terminated: a hostile document may take any amount of
 * time and memory.
 */
export async function readPdfText(bytes: Uint8Array): Promise<ReadResult> {
  const loading = getDocument({
    data: bytes,
    BinaryDataFactory: OwnFilesOnly,
    useWorkerFetch: false,
    useWasm: false,
    useSystemFonts: false,
    disableFontFace: true,
    disableWorkerRendering: true,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    enableXfa: false,
    verbosity: 0,
  })
  try {
    const result = await readPages(await loading.promise)
    return isMapMissing ? { fault: 'unloaded' } : result
  } catch (error) {
    return { fault: error instanceof PasswordException ? 'encrypted' : 'unreadable' }
  }
}

async function readPages(pdf: Pdf): Promise<ReadResult> {
  const readCount = Math.min(pdf.numPages, PAGE_COUNT_MAX)
  const texts: string[] = []
  let length = 0
  let unreadableCount = 0
  for (let number = 1; number <= readCount && length <= TEXT_LENGTH_MAX; number += 1) {
    try {
      const page = await pdf.getPage(number)
      const text = await readPage(page, TEXT_LENGTH_MAX - length + 1)
      if (text !== '') texts.push(text)
      length += text.length
      page.cleanup()
    } catch {
      unreadableCount += 1
    }
  }
  if (unreadableCount === readCount) return { fault: 'unreadable' }
  const text = texts.join('\n\n')
  return {
    mediaType: 'application/pdf',
    text: cutText(text, TEXT_LENGTH_MAX),
    pageCount: pdf.numPages,
    isCut: text.length > TEXT_LENGTH_MAX || pdf.numPages > readCount || unreadableCount > 0,
  }
}

/** Stops reading as soon as there is enough, because a page may expand to gigabytes. */
async function readPage(page: Page, lengthMax: number): Promise<string> {
  const reader: ReadableStreamDefaultReader<TextContent> = page.streamTextContent().getReader()
  let text = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) break
    for (const item of value.items) {
      if ('str' in item) text += item.hasEOL ? `${item.str}\n` : item.str
    }
    if (text.length > lengthMax) {
      // The library requires a reason.
      await reader.cancel(new Error('There is enough text.'))
      break
    }
  }
  return text.replaceAll('\0', '').trim()
}

type TextContent = Awaited<ReturnType<Page['getTextContent']>>
