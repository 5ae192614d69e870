/** The contents of a file that a person attached. */
interface ReadDocument {
  readonly mediaType: 'application/pdf' | 'text/plain'
  /** Empty if it has none, as in a scanned PDF. */
  readonly text: string
  /** Null if it has no pages. */
  readonly pageCount: number | null
  /** Whether text beyond the limits of pages or length was left out. */
  readonly isCut: boolean
}

/** Why a file could not be attached; `unloaded` means that the code to read it could not be fetched. */
export type DocumentFault =
  | 'empty'
  | 'folder'
  | 'tooLarge'
  | 'notText'
  | 'encrypted'
  | 'unreadable'
  | 'tooSlow'
  | 'unloaded'
  | 'cancelled'

export type ReadResult = ReadDocument | { readonly fault: DocumentFault }
