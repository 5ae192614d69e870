import { WHOLE_FILE_BYTES_MAX } from './document-limits'

/** Text and picture of a dense page, as the providers count that look at pages, rounded up. */
const TOKENS_PER_WHOLE_PAGE = 2_500
/** A page takes about this many bytes, where their number is unknown. */
const BYTES_PER_WHOLE_PAGE = 80_000

/** What decides how a document goes to a model, and what that costs about. */
export interface SendableDocument {
  /** Bytes of the file. */
  readonly size: number
  readonly isPdf: boolean
  readonly pageCount: number | null
  /** Of its text; 0 when it has none. */
  readonly textTokenCount: number
  /** The person asked for the whole file. */
  readonly isWhole: boolean
}

/**
 * As text whenever there is some: it costs a fraction, and is bounded exactly before it is sent. The whole
 * file goes where there is no text, or on request. Null: this model can do nothing with it.
 */
export function sentAs(document: SendableDocument, takesFiles: boolean): 'text' | 'file' | null {
  const hasText = document.textTokenCount > 0
  if (canSendWhole(document, takesFiles) && (document.isWhole || !hasText)) return 'file'
  return hasText ? 'text' : null
}

export function canSendWhole({ isPdf, size }: SendableDocument, takesFiles: boolean): boolean {
  return takesFiles && isPdf && size <= WHOLE_FILE_BYTES_MAX
}

/** About how many tokens the model counts for it. */
export function sentTokenCount(document: SendableDocument, takesFiles: boolean): number {
  return sentAs(document, takesFiles) === 'file' ? wholeTokenCount(document) : document.textTokenCount
}

/** A guess for the estimate; the server holds the model's whole context for a file. */
function wholeTokenCount({ pageCount, size }: SendableDocument): number {
  return (pageCount ?? Math.ceil(size / BYTES_PER_WHOLE_PAGE)) * TOKENS_PER_WHOLE_PAGE
}
