import { DOCUMENT_DATABASE_NAME } from '../database/database-names'
import 'fake-indexeddb/auto'
import { beforeEach, expect, test } from '@jest/globals'
import { databaseExists } from '../database/database-exists'
import { deleteUnreferenced } from '../storage/delete-unreferenced'
import { conversationOf, createFakeBrowser, deleteDatabases } from '../testing'
import { documentStore } from './document-store'
import { openDocumentTable } from './document-table'
import { isStoredDocumentUrl, parseStoredDocument, type StoredDocument } from './stored-document'

const BYTES = new Uint8Array([1, 2, 3])

function documentOf(id: string, created_at = '2026-11-18T00:00:00.000Z'): StoredDocument {
  return {
    url: `document-store:${id}`,
    created_at,
    name: `${id}.txt`,
    media_type: 'text/plain',
    size: 3,
    text: 'abc',
    page_count: null,
    is_cut: false,
  }
}

beforeEach(deleteDatabases)

test('reading a document does not create a database', async () => {
  expect(await documentStore.get('document-store:a')).toBeNull()
  expect(await documentStore.bytesOf('document-store:a')).toBeNull()
  expect(await databaseExists(DOCUMENT_DATABASE_NAME)).toBe(false)
})

test('a document is found, counted and deleted with its bytes', async () => {
  const table = await openDocumentTable()
  await table.save(documentOf('a'), BYTES)
  expect(await table.get('document-store:a')).toEqual(documentOf('a'))
  expect(await table.bytesOf('document-store:a')).toEqual(BYTES)
  expect(await table.sizes()).toEqual({ count: 1, bytes: 6 })
  await table.delete(['document-store:a'])
  expect(await table.bytesOf('document-store:a')).toBeNull()
  expect(await table.sizes()).toEqual({ count: 0, bytes: 0 })
})

test.each([
  null,
  'text',
  { url: 'https://example.com/a', name: 'a' },
  { url: 'document-store:a' },
  { url: 7, name: 'a' },
])('%j is not a document', value => expect(parseStoredDocument(value)).toBeNull())

test('wrong fields of a record are dropped', () => {
  const odd = { ...documentOf('a'), media_type: 'text/html', size: -1, page_count: Number.NaN, text: 7 }
  expect(parseStoredDocument(odd)).toEqual({ ...documentOf('a'), size: 0, text: '' })
})

test('unreferenced documents are deleted after a day with their bytes', async () => {
  const table = await openDocumentTable()
  const now = new Date('2026-11-20T12:00:00.000Z')
  for (const id of ['listed', 'archived', 'orphan']) await table.save(documentOf(id), BYTES)
  await table.save(documentOf('fresh', '2026-11-20T11:00:00.000Z'), BYTES)
  const browser = createFakeBrowser()
  browser.area.setItem('conversationHistory', '[{"url":"document-store:listed"}]')
  await deleteUnreferenced({
    files: table,
    isOurs: isStoredDocumentUrl,
    storage: browser.openTab().storage,
    drafts: '',
    forEachArchived: async visit => visit(conversationOf('c', 'document-store:archived')),
    now,
  })
  expect((await table.urls()).sort()).toEqual([
    'document-store:archived',
    'document-store:fresh',
    'document-store:listed',
  ])
  expect(await table.bytesOf('document-store:orphan')).toBeNull()
})
