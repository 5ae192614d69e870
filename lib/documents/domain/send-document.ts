import { WHOLE_FILE_BYTES_MAX } from './document-limits'

/** Text and picture of a dense page, as counted by providers that also look at the pages, rounded up. */
const TOKENS_PER_WHOLE_PAGE = 2_500
/** About how many bytes a page has, if the number of pages is unknown. */
const BYTES_PER_WHOLE_PAGE = 80_000

/** What determines how a document is sent to a model, and about what that costs. */
export interface SendableDocument {
  /** Bytes of the file. */
  readonly size: number
  readonly isPdf: boolean
  readonly pageCount: number | null
  /** The tokens of its text; 0 if it has none. */
  readonly textTokenCount: number
  /** The person asked for the whole file. */
  readonly isWhole: boolean
}

/**
 * Text whenever there is some: it costs a fraction, and its cost is bounded exactly before it is sent. The whole file
 * if there is no text, or on request. Null if this model cannot use it.
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
