import 'fake-indexeddb/auto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { openDocumentTable } from '@/lib/local/documents/document-table'
import type { StoredDocument } from '@/lib/local/documents/stored-document'
import type { ContentPart, Conversation, DocumentPart, Message } from '@/lib/local/domain/conversation'
import { keepPicture } from '@/lib/local/images/pictures'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { deleteDatabases } from '@/lib/local/testing'
import { chatRequest, DOCUMENT_BYTES_MAX, pictureRequest } from './request-body'
import { NOTHING_UNSENT, unsentParts } from './web-parts'

/** The browser's own, which Node lacks. */
class TestFileReader {
  result: string | null = null
  onload = () => {}

  async readAsDataURL(blob: Blob): Promise<void> {
    const bytes = Buffer.from(await blob.arrayBuffer())
    this.result = `data:${blob.type};base64,${bytes.toString('base64')}`
    this.onload()
  }
}
Object.assign(globalThis, { FileReader: TestFileReader })

beforeEach(async () => {
  await deleteDatabases()
  guardedStorage.clear()
})

function conversationOf(messages: Message[], answer: Partial<Message> = {}): Conversation {
  const last: Message = { role: 'assistant', id: 'answer', content: '', model: 'm', ...answer }
  return { id: 'c', created_at: '2026-11-20T00:00:00.000Z', messages: [...messages, last] }
}

async function bodyFor(messages: Message[], answer: Partial<Message> = {}) {
  return JSON.parse(await chatRequest(conversationOf(messages, answer), 'answer'))
}

describe('the request for an answer', () => {
  test('leaves out answers that never came, and messages after its place', async () => {
    const body = await bodyFor([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: '', status: 'failed' },
      { role: 'user', content: 'two' },
    ])
    expect(body).toEqual({
      model: 'm',
      messages: [
        { role: 'user', content: 'one' },
        { role: 'user', content: 'two' },
      ],
      stream: true,
    })
  })

  test('asks for the rest of an answer, and sends a continued answer as one message', async () => {
    const question: Message = { role: 'user', content: 'Count to four' }
    const first: Message = { role: 'assistant', content: 'One, two, ' }
    const carryOn = { role: 'user', content: expect.stringContaining('exactly where it stopped') }
    const rest = await bodyFor([question, first], { continues: true })
    expect(rest.messages).toEqual([question, first, carryOn])
    const second: Message = { role: 'assistant', content: 'three, ', continues: true }
    const whole = { role: 'assistant', content: 'One, two, three, ' }
    const restOfRest = await bodyFor([question, first, second], { continues: true })
    expect(restOfRest.messages).toEqual([question, whole, carryOn])
    const next: Message = { role: 'user', content: 'And then?' }
    const later = await bodyFor([question, first, second, next])
    expect(later.messages).toEqual([question, whole, next])
  })

  test('begins with the instructions for every chat and then its own, however small the memory is', async () => {
    guardedStorage.write('maxContext', '256')
    guardedStorage.write('instructions', 'Metric units. ')
    const question: Message = { role: 'user', content: 'How far?' }
    const own = 'Answer like a captain. '.repeat(100).trim()
    const steered = { ...conversationOf([question]), system_prompt: own }
    const body = JSON.parse(await chatRequest(steered, 'answer'))
    expect(body.messages).toEqual([{ role: 'system', content: `Metric units.\n\n${own}` }, question])
    expect((await bodyFor([question])).messages[0]).toEqual({ role: 'system', content: 'Metric units.' })
  })

  test('uses the parameters stored with the answer, not the current ones of the conversation', async () => {
    const question: Message = { role: 'user', content: 'hi' }
    const asked = { temperature: 0, max_tokens: 100, reasoning_effort: 'low' }
    const conversation = { ...conversationOf([question], asked), temperature: 2, max_tokens: 5000 }
    expect(JSON.parse(await chatRequest(conversation, 'answer'))).toMatchObject(asked)
    const plain = JSON.parse(await chatRequest({ ...conversationOf([question]), temperature: 2 }, 'answer'))
    expect(Object.keys(plain).sort()).toEqual(['messages', 'model', 'stream'])
  })

  test('sends pictures and documents in the API’s shapes, and drops those that are gone', async () => {
    const url = await keepPicture('data:image/jpeg;base64,AA==', '2026-11-20T00:00:00.000Z')
    const body = await bodyFor(
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image_url', image_url: { url, created_at: '' } },
            { type: 'image_url', image_url: { url: 'image-store:gone', created_at: '' } },
            { type: 'document_url', document_url: { url: 'data:text/plain;base64,AA==', created_at: '' } },
            { type: 'document_url', document_url: { url: 'https://elsewhere.example/x', created_at: '' } },
          ],
        },
      ],
      { takes_pictures: true },
    )
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,AA==' } },
          { type: 'text', text: '[A picture is not included]' },
          { type: 'file', file: { filename: 'document', file_data: 'data:text/plain;base64,AA==' } },
          { type: 'text', text: '[Document "x" is not included]' },
        ],
      },
    ])
  })

  test('sends the last question and answer, and older messages within the memory', async () => {
    guardedStorage.write('maxContext', '256')
    const long = { role: 'assistant', content: 'word '.repeat(2000) }
    const body = await bodyFor([
      { role: 'user', content: 'old '.repeat(500) },
      { role: 'assistant', content: 'older answer' },
      { role: 'user', content: 'write much' },
      { role: 'assistant', content: long.content },
      { role: 'user', content: 'shorter' },
    ])
    const [asked, again] = ['write much', 'shorter'].map(content => ({ role: 'user', content }))
    expect(body.messages).toEqual([asked, long, again])
  })

  test('cuts the last answer if it exceeds the context window', async () => {
    const messages: Message[] = [
      { role: 'user', content: 'write much' },
      { role: 'assistant', content: 'word '.repeat(2000) },
      { role: 'user', content: 'shorter' },
    ]
    const body = await bodyFor(messages, { window_tokens: 1000 })
    expect(body.messages[1].content).toContain('[The middle of this message is not included]')
  })
})

describe('an attachment that is only on the web', () => {
  const picture = (url: string): ContentPart => ({ type: 'image_url', image_url: { url, created_at: '' } })
  const document = (url: string, name?: string): ContentPart => ({
    type: 'document_url',
    document_url: { url, created_at: '', name },
  })
  const CAT = 'https://elsewhere.example/pets/cat.png?size=2'
  const PAPER = 'https://elsewhere.example/paper.pdf'
  const contentFor = async (parts: ContentPart[], takes: Partial<Message>) =>
    (await bodyFor([{ role: 'user', content: parts }], takes)).messages[0].content

  test('is sent by its address to a model that accepts that', async () => {
    const takes = { takes_pictures: true, takes_files: true }
    expect(await contentFor([picture(CAT), document(PAPER), document(PAPER, 'Mine.pdf')], takes)).toEqual([
      { type: 'image_url', image_url: { url: CAT } },
      { type: 'file', file: { filename: 'paper.pdf', file_data: PAPER } },
      { type: 'file', file: { filename: 'Mine.pdf', file_data: PAPER } },
    ])
  })

  test('is described as missing to any other model, and a document alone is not an empty question', async () => {
    expect(await contentFor([document(PAPER)], { takes_pictures: true })).toEqual([
      { type: 'text', text: '[Document "paper.pdf" is not included]' },
    ])
    expect(await contentFor([picture(CAT)], { takes_files: true })).toEqual([
      { type: 'text', text: '[A picture is not included]' },
    ])
  })

  test.each([
    'http://elsewhere.example/a',
    'https://',
    'ftp://elsewhere.example/a',
    'https://me:pw@bank.example/a',
  ])('is not sent with the address %s', async url => {
    const takes = { takes_pictures: true, takes_files: true }
    for (const part of [picture(url), document(url)]) {
      expect(await contentFor([part], takes)).toEqual([
        { type: 'text', text: expect.stringMatching(/not included/) },
      ])
    }
  })

  test('is named beforehand if it will not be sent', async () => {
    const messages: Message[] = [
      { role: 'user', content: [picture(CAT), document(PAPER), document(PAPER, 'Mine.pdf')] },
      { role: 'assistant', content: [{ type: 'text', text: 'Nice' }, document(PAPER)] },
      { role: 'user', content: 'words' },
    ]
    const none = { takesPictures: false, takesFiles: false }
    expect(await unsentParts(messages, none)).toEqual({ pictureCount: 1, names: ['paper.pdf', 'Mine.pdf'] })
    expect(await unsentParts(messages, { ...none, takesFiles: true })).toEqual({ pictureCount: 1, names: [] })
    expect(await unsentParts(messages, { takesPictures: true, takesFiles: true })).toEqual(NOTHING_UNSENT)
  })

  test('is sent by its bytes if the image store has them', async () => {
    const { openImageTable } = await import('@/lib/local/images/image-store')
    const image_url = { url: CAT, created_at: '2026-11-20T00:00:00.000Z' }
    await (await openImageTable()).save({ image_url, base64_json: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB' })
    const parts = [picture(CAT)]
    expect(await contentFor(parts, { takes_pictures: true })).toEqual([
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB' } },
    ])
    const messages: Message[] = [{ role: 'user', content: parts }]
    expect(await unsentParts(messages, { takesPictures: true, takesFiles: false })).toEqual(NOTHING_UNSENT)
  })

  test('is not sent if the model accepts no pictures', async () => {
    const url = await keepPicture('data:image/jpeg;base64,AA==', '2026-11-20T00:00:00.000Z')
    expect(await contentFor([picture(url)], { takes_files: true })).toEqual([
      { type: 'text', text: '[A picture is not included]' },
    ])
  })
})

test('a picture request contains only the text of its question, the same each time', async () => {
  const conversation = conversationOf([
    { role: 'user', content: 'Something earlier' },
    { role: 'assistant', content: 'Indeed' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'A copper coin' },
        { type: 'image_url', image_url: { url: 'image-store:1', created_at: '' } },
      ],
    },
  ])
  const body = await pictureRequest(conversation, 'answer')
  expect(JSON.parse(body)).toEqual({
    model: 'm',
    prompt: 'A copper coin',
    n: 1,
    response_format: 'b64_json',
  })
  expect(await pictureRequest(conversation, 'answer')).toBe(body)
})

describe('a document in a request', () => {
  const PDF: StoredDocument = {
    url: 'document-store:1',
    created_at: '2026-11-18T00:00:00.000Z',
    name: 'a.pdf',
    media_type: 'application/pdf',
    size: 1,
    text: 'Body',
    page_count: 1,
    is_cut: false,
  }
  const AS_TEXT = { type: 'text', text: '[Document "a.pdf", 1 page]\n\nBody\n\n[End of Document "a.pdf"]' }
  const MISSING = { type: 'text', text: '[Document "a.pdf" is not included]' }
  const AS_FILE = {
    type: 'file',
    file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' },
  }

  const partOf = (fields: Partial<DocumentPart['document_url']> = {}): DocumentPart => ({
    type: 'document_url',
    document_url: { url: PDF.url, created_at: '', ...fields },
  })

  async function store(document: StoredDocument, bytes = new Uint8Array(1)) {
    await (await openDocumentTable()).save(document, bytes)
  }

  async function contentsFor(parts: readonly DocumentPart[], takesFiles = false) {
    const questions: Message[] = parts.map(part => ({ role: 'user', content: [part] }))
    const body = await bodyFor(questions, { takes_files: takesFiles })
    return body.messages.map((message: { content: unknown }) => message.content)
  }

  test.each<[string, Partial<StoredDocument>, boolean | undefined, boolean, unknown]>([
    ['goes as text to a model that takes none', {}, true, false, AS_TEXT],
    ['goes as text unless asked for whole', {}, undefined, true, AS_TEXT],
    ['goes whole when asked for', {}, true, true, AS_FILE],
    ['goes whole when it has no text', { text: '' }, undefined, true, AS_FILE],
    ['without text is told as missing where files are not taken', { text: '' }, undefined, false, MISSING],
  ])('%s', async (_, change, whole, takesFiles, expected) => {
    await store({ ...PDF, ...change })
    expect(await contentsFor([partOf({ whole })], takesFiles)).toEqual([[expected]])
  })

  test('whose file is gone is sent as text', async () => {
    await store(PDF)
    const { openBrowserDatabase } = await import('@/lib/local/database/open-database')
    const { DOCUMENT_DATABASE_NAME } = await import('@/lib/local/database/database-names')
    const database = await openBrowserDatabase(DOCUMENT_DATABASE_NAME, null)
    await database.table('files').clear()
    database.close()
    expect(await contentsFor([partOf({ whole: true })], true)).toEqual([[AS_TEXT]])
  })

  test('that is gone is described as missing, and one of another product is sent unchanged', async () => {
    expect(await contentsFor([partOf({ name: 'a.pdf' })])).toEqual([[MISSING]])
    const foreign = partOf({ url: 'data:text/plain;base64,AA==', name: '../x.txt' })
    const file = { filename: 'x.txt', file_data: 'data:text/plain;base64,AA==' }
    expect(await contentsFor([foreign])).toEqual([[{ type: 'file', file }]])
  })

  test('is sent with its question, however long it is', async () => {
    await store(PDF)
    const asked = await contentsFor([partOf({ token_count: 9_000 }), partOf({ token_count: 9_000 })])
    expect(asked).toEqual([[AS_TEXT], [AS_TEXT]])
  })

  test('of an older question is left out if all documents exceed the API’s limit', async () => {
    const text = 'x'.repeat(Math.floor(DOCUMENT_BYTES_MAX / 3) - 100)
    await store({ ...PDF, text })
    const [older, newer] = await contentsFor([partOf(), partOf()])
    expect(older).toEqual([MISSING])
    expect(newer[0].text).toContain(text)
  })
})
