import { describe, expect, test } from '@jest/globals'
import type { Conversation, DocumentPart, Message } from '@/lib/local/domain/conversation'
import { DOCUMENT_CHARACTERS_MAX, type ResolvedDocument } from './document-parts'
import { buildRequestBody } from './request-body'

const PDF: ResolvedDocument = {
  name: 'a.pdf',
  text: 'Body',
  isPdf: true,
  pageCount: 1,
  isCut: false,
  readFile: async () => 'data:application/pdf;base64,AA==',
}
const AS_TEXT = { type: 'text', text: '[Document "a.pdf", 1 page]\n\nBody\n\n[End of Document "a.pdf"]' }
const AS_FILE = {
  type: 'file',
  file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' },
}
const MISSING = { type: 'text', text: '[Document "a.pdf" is not included]' }

const partOf = (fields: Partial<DocumentPart['document_url']> = {}): DocumentPart => ({
  type: 'document_url',
  document_url: { url: 'document-store:1', created_at: '', ...fields },
})

async function messagesFor(
  questions: readonly DocumentPart[],
  document: ResolvedDocument | null,
  takesFiles = false,
) {
  const messages: Message[] = questions.map(part => ({ role: 'user', content: [part] }))
  const answer: Message = {
    role: 'assistant',
    id: 'answer',
    content: '',
    model: 'm',
    takes_files: takesFiles,
  }
  const conversation: Conversation = { id: 'c', created_at: '', messages: [...messages, answer] }
  const resolve = { picture: async () => null, document: async () => document }
  const body = JSON.parse(await buildRequestBody(conversation, 'answer', 100, resolve))
  return body.messages.map((message: { content: unknown }) => message.content)
}

describe('a document in a request', () => {
  test.each<[string, Partial<ResolvedDocument>, boolean | undefined, boolean, unknown]>([
    ['goes as text to a model that takes none', {}, true, false, AS_TEXT],
    ['goes as text unless asked for whole', {}, undefined, true, AS_TEXT],
    ['goes whole when asked for', {}, true, true, AS_FILE],
    ['goes whole when it has no text', { text: '' }, undefined, true, AS_FILE],
    ['without text is told as missing where files are not taken', { text: '' }, undefined, false, MISSING],
    ['whose file is gone goes as text', { readFile: async () => null }, true, true, AS_TEXT],
  ])('%s', async (_, change, whole, takesFiles, expected) => {
    expect(await messagesFor([partOf({ whole })], { ...PDF, ...change }, takesFiles)).toEqual([[expected]])
  })

  test('that is gone is left out, and one of another product goes as it is', async () => {
    expect(await messagesFor([partOf()], null)).toEqual([[]])
    const foreign = partOf({ url: 'data:text/plain;base64,AA==', name: '../x.txt' })
    const file = { filename: 'x.txt', file_data: 'data:text/plain;base64,AA==' }
    expect(await messagesFor([foreign], null)).toEqual([[{ type: 'file', file }]])
  })

  test('stays in the request with the words beside it, however long it is', async () => {
    const asked = await messagesFor([partOf({ token_count: 9_000 }), partOf({ token_count: 9_000 })], PDF)
    expect(asked).toEqual([[AS_TEXT], [AS_TEXT]])
  })

  test('of an older question makes way when all of them are more than the API reads', async () => {
    const large = 'x'.repeat(DOCUMENT_CHARACTERS_MAX - 100)
    const contents = await messagesFor(
      [partOf({ whole: true }), partOf({ whole: true })],
      { ...PDF, text: '', readFile: async () => large },
      true,
    )
    expect(contents).toEqual([[MISSING], [{ type: 'file', file: { filename: 'a.pdf', file_data: large } }]])
  })
})
