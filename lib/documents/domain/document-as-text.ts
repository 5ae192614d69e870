import { safeDocumentName } from './document-name'

interface NamedText {
  readonly name: string
  readonly text: string
  readonly pageCount: number | null
  readonly isCut: boolean
}

/** A document as a model reads it: its text between two lines that say what it is and where it ends. */
export function documentAsText({ name, text, pageCount, isCut }: NamedText): string {
  const title = `Document "${safeDocumentName(name)}"`
  const facts = [
    title,
    ...(pageCount === null ? [] : [`${pageCount} ${pageCount === 1 ? 'page' : 'pages'}`]),
    ...(isCut ? ['beginning only'] : []),
  ]
  return `[${facts.join(', ')}]\n\n${text}\n\n[End of ${title}]`
}

/** Replaces a document that cannot be sent, so that the model does not guess its contents. */
export function missingDocument(name: string): string {
  return `[Document "${safeDocumentName(name)}" is not included]`
}
