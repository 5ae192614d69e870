import { beforeEach, describe, expect, jest, test } from '@jest/globals'

const save = jest.fn<(document: unknown, bytes: unknown) => Promise<void>>()
const remove = jest.fn<(url: string) => Promise<void>>()
jest.unstable_mockModule('@/lib/local/documents/document-store', () => ({
  documentStore: { save, delete: remove },
}))
const { attachDocument } = await import('./attach-document')

const NOW = new Date('2026-11-20T12:00:00.000Z')
const FILE = new File(['Ada, 1'], '../list.csv', { type: 'text/csv' })

beforeEach(() => {
  jest.resetAllMocks()
  save.mockResolvedValue(undefined)
  remove.mockResolvedValue(undefined)
})

describe('a document that cannot be stored', () => {
  test.each([
    [new DOMException('full', 'QuotaExceededError'), 'full'],
    [Object.assign(new Error('aborted'), { inner: new DOMException('full', 'QuotaExceededError') }), 'full'],
    [new Error('no database in this window'), 'unkept'],
  ])('because of %s is not attached, and reports the fault', async (error, fault) => {
    save.mockRejectedValue(error)
    expect(await attachDocument(FILE, NOW, new AbortController().signal)).toBe(fault)
  })

  test('because it was removed meanwhile leaves nothing in the store', async () => {
    const abort = new AbortController()
    save.mockImplementation(async () => abort.abort())
    expect(await attachDocument(FILE, NOW, abort.signal)).toBe('cancelled')
    expect(remove).toHaveBeenCalledWith(expect.stringMatching(/^document-store:/))
  })
})

test('a document is stored with its text before the draft names it', async () => {
  const attached = await attachDocument(FILE, NOW, new AbortController().signal)
  expect(attached).toMatchObject({
    name: 'list.csv',
    size: 6,
    isPdf: false,
    isWhole: false,
    textTokenCount: 4,
  })
  expect(save).toHaveBeenCalledWith(
    expect.objectContaining({ name: 'list.csv', text: 'Ada, 1', created_at: NOW.toISOString() }),
    new TextEncoder().encode('Ada, 1'),
  )
})
