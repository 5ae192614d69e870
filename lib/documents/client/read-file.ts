import { cutText } from '@/lib/http/domain/cut-text'
import { documentKind, FOLDER_TYPE, SNIFFED_BYTES_MAX } from '../domain/document-kind'
import { FILE_BYTES_MAX, TEXT_LENGTH_MAX } from '../domain/document-limits'
import { decodeText } from '../domain/plain-text'
import type { ReadResult } from '../domain/read-document'
import { readPdf } from './read-pdf'

export interface ReadFile {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly result: ReadResult
}

const NO_BYTES = new Uint8Array()

/** Reads a file that a person attached. Never throws; a file that has disappeared counts as unreadable. */
export async function readFile(file: File, signal: AbortSignal): Promise<ReadFile> {
  if (file.type === FOLDER_TYPE) return { bytes: NO_BYTES, result: { fault: 'folder' } }
  if (file.size > FILE_BYTES_MAX) return { bytes: NO_BYTES, result: { fault: await faultOfLarge(file) } }
  if (file.size === 0) return { bytes: NO_BYTES, result: { fault: 'empty' } }
  try {
    const bytes = new Uint8Array(await file.arrayBuffer())
    return { bytes, result: await readBytes(bytes, signal) }
  } catch {
    return { bytes: NO_BYTES, result: { fault: 'unreadable' } }
  }
}

/** Nobody is told to make a video smaller, since no video can be attached. */
async function faultOfLarge(file: File): Promise<'tooLarge' | 'notText'> {
  const start = await file
    .slice(0, SNIFFED_BYTES_MAX)
    .arrayBuffer()
    .catch(() => new ArrayBuffer())
  return documentKind(new Uint8Array(start)) === 'binary' ? 'notText' : 'tooLarge'
}

async function readBytes(bytes: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<ReadResult> {
  const kind = documentKind(bytes)
  if (kind === 'binary') return { fault: 'notText' }
  if (kind === 'pdf') return readPdf({ bytes, signal })
  const whole = decodeText(bytes)
  const text = cutText(whole, TEXT_LENGTH_MAX)
  if (text.trim() === '') return { fault: 'empty' }
  return { mediaType: 'text/plain', text, pageCount: null, isCut: whole.length > TEXT_LENGTH_MAX }
}
