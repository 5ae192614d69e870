import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import { scriptTokenCount } from '@/lib/catalogue/domain/text-bytes'
import { readFile } from '@/lib/documents/client/read-file'
import { WHOLE_FILE_BYTES_MAX } from '@/lib/documents/domain/document-limits'
import { safeDocumentName } from '@/lib/documents/domain/document-name'
import type { DocumentFault } from '@/lib/documents/domain/read-document'
import { documentStore } from '@/lib/local/documents/document-store'
import { STORED_DOCUMENT_PREFIX } from '@/lib/local/documents/stored-document'
import { isQuotaExceeded } from '@/lib/local/storage/is-quota-exceeded'
import { createUuid } from '@/lib/local/uuid'
import type { DraftDocument } from './draft-document'

/**
 * `textless`: it has no text and is too large to be sent whole. `full`, `unkept`: it could not be stored in this
 * browser.
 */
type AttachFault = DocumentFault | 'textless' | 'full' | 'unkept'

/** Reads a file, stores it in the document store and describes it for the draft. Never throws. */
export async function attachDocument(
  file: File,
  now: Date,
  signal: AbortSignal,
): Promise<DraftDocument | AttachFault> {
  const { bytes, result } = await readFile(file, signal)
  if ('fault' in result) return result.fault
  if (result.text === '' && bytes.length > WHOLE_FILE_BYTES_MAX) return 'textless'
  const url = `${STORED_DOCUMENT_PREFIX}${createUuid()}`
  const name = safeDocumentName(file.name)
  try {
    const { text, pageCount, isCut, mediaType } = result
    const stored = { url, created_at: now.toISOString(), name, media_type: mediaType, size: bytes.length }
    await documentStore.save({ ...stored, text, page_count: pageCount, is_cut: isCut }, bytes)
    if (signal.aborted) {
      await documentStore.delete(url)
      return 'cancelled'
    }
    const textTokenCount = estimateTokens(text)
    const scriptCount = Math.ceil(scriptTokenCount(text))
    const isPdf = mediaType === 'application/pdf'
    return {
      url,
      name,
      size: bytes.length,
      isPdf,
      pageCount,
      isCut,
      textTokenCount,
      scriptTokenCount: scriptCount,
      isWhole: false,
    }
  } catch (error) {
    return isQuotaExceeded(error) ? 'full' : 'unkept'
  }
}
