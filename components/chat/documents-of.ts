import type { DocumentPart, Message } from '@/lib/chat/domain/conversation'

/** A message's documents. */
export function documentsOf({ content }: Message): readonly DocumentPart['document_url'][] {
  if (typeof content === 'string') return []
  return content.flatMap(part => (part.type === 'document_url' ? [part.document_url] : []))
}
