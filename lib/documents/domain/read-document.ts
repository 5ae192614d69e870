/** What was found in a file that a person attached. */
interface ReadDocument {
  readonly mediaType: 'application/pdf' | 'text/plain'
  /** Empty when there is none, as in a scanned PDF. */
  readonly text: string
  /** Null where there are no pages. */
  readonly pageCount: number | null
  /** Text beyond the limits of pages or length was left out. */
  readonly isCut: boolean
}

/** Why a file could not be attached; `unloaded`: what reads it did not come over the network. */
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
