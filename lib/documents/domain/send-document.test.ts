import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { anyCharacter } from '@/test/support/any-character'
import { documentAsText, missingDocument } from './document-as-text'
import { WHOLE_FILE_BYTES_MAX } from './document-limits'
import { type SendableDocument, sentAs, sentTokenCount } from './send-document'

const REPORT: SendableDocument = {
  size: 1_000,
  isPdf: true,
  pageCount: 4,
  textTokenCount: 70,
  isWhole: false,
}

describe('the way a document is sent to a model', () => {
  test.each<[string, Partial<SendableDocument>, boolean, 'text' | 'file' | null]>([
    ['a scan, to a model that takes no files', { textTokenCount: 0 }, false, null],
    ['a scan too large to go whole', { textTokenCount: 0, size: WHOLE_FILE_BYTES_MAX + 1 }, true, null],
    ['a scan', { textTokenCount: 0 }, true, 'file'],
    ['a PDF with text', {}, true, 'text'],
    ['a PDF that is to go whole', { isWhole: true }, true, 'file'],
    ['the same, to a model that takes no files', { isWhole: true }, false, 'text'],
    ['the same, too large to go whole', { isWhole: true, size: WHOLE_FILE_BYTES_MAX + 1 }, true, 'text'],
    ['a text file', { isPdf: false, isWhole: true }, true, 'text'],
  ])('of %s', (_, change, takesFiles, way) => {
    expect(sentAs({ ...REPORT, ...change }, takesFiles)).toBe(way)
  })

  test('decides what it adds to the estimate', () => {
    expect(sentTokenCount(REPORT, true)).toBe(70)
    expect(sentTokenCount({ ...REPORT, isWhole: true }, true)).toBe(10_000)
    const unknown = { ...REPORT, isWhole: true, pageCount: null, size: 160_001 }
    expect(sentTokenCount(unknown, true)).toBe(7_500)
  })
})

describe('a document as text', () => {
  const base = { name: 'a.pdf', text: 'Body', pageCount: 1, isCut: false }

  test('has its name, its extent and an end mark', () => {
    expect(documentAsText(base)).toBe('[Document "a.pdf", 1 page]\n\nBody\n\n[End of Document "a.pdf"]')
    expect(documentAsText({ ...base, pageCount: 900, isCut: true })).toContain(
      '[Document "a.pdf", 900 pages, beginning only]',
    )
    expect(documentAsText({ ...base, pageCount: null })).toContain('[Document "a.pdf"]\n')
  })

  test('has a heading of one line, whatever its name is', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), name => {
        expect(documentAsText({ ...base, name }).split('\n')).toHaveLength(5)
        expect(missingDocument(name)).toMatch(/^\[Document "[^"\n]+" is not included\]$/)
      }),
    )
  })
})
