import { WHOLE_FILES_BYTES_MAX } from '@/lib/documents/domain/document-limits'
import { type SendableDocument, sentAs, sentTokenCount } from '@/lib/documents/domain/send-document'
import { fieldsOf } from '@/lib/http/domain/is-object'
import type { ContentPart } from '@/lib/local/domain/conversation'

/** A document in the composer. Its bytes and its text are in the document store. */
export interface DraftDocument extends SendableDocument {
  /** The address in the document store. */
  readonly url: string
  readonly name: string
  /** Only its beginning is sent. */
  readonly isCut: boolean
  /** How many more tokens a tokenizer may need for its script; absent in drafts of older versions. */
  readonly scriptTokenCount?: number
}

/** Drafts survive a reload, and may come from another version. */
export function isDraftDocument(value: unknown): value is DraftDocument {
  const fields = fieldsOf(value)
  const has = (type: string, ...names: string[]) => names.every(name => typeof fields[name] === type)
  return (
    has('string', 'url', 'name') &&
    has('number', 'size', 'textTokenCount') &&
    has('boolean', 'isPdf', 'isWhole', 'isCut') &&
    (fields.pageCount === null || has('number', 'pageCount'))
  )
}

/** The content part that represents the document in a message. */
export function documentPart(document: DraftDocument, createdAt: string, takesFiles: boolean): ContentPart {
  const { scriptTokenCount = 0 } = document
  return {
    type: 'document_url',
    document_url: {
      url: document.url,
      created_at: createdAt,
      name: document.name,
      token_count: sentTokenCount(document, takesFiles),
      ...(scriptTokenCount > 0 && { script_token_count: scriptTokenCount }),
      ...(document.isWhole || sentAs(document, takesFiles) === 'file' ? { whole: true } : {}),
    },
  }
}

/** Whether a request can hold all documents, each in a form that the model accepts. */
export function canSendDocuments(documents: readonly DraftDocument[], takesFiles: boolean): boolean {
  return !areFilesTooLarge(documents, takesFiles) && documents.every(one => sentAs(one, takesFiles) !== null)
}

export function areFilesTooLarge(documents: readonly DraftDocument[], takesFiles: boolean): boolean {
  const whole = documents.filter(one => sentAs(one, takesFiles) === 'file')
  return whole.reduce((sum, { size }) => sum + size, 0) > WHOLE_FILES_BYTES_MAX
}
