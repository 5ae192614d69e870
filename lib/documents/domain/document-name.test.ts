import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { anyCharacter } from '@/test/support/any-character'
import { endsInTime } from '@/test/support/ends-in-time'
import { NAME_LENGTH_MAX } from './document-limits'
import { safeDocumentName } from './document-name'

describe('the name of a document', () => {
  test.each([
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['C:\\Users\\ada\\notes.txt', 'notes.txt'],
    ['..', 'document'],
    ['...', 'document'],
    ['', 'document'],
    ['folder/', 'document'],
    ['.htaccess', 'htaccess'],
    ['line\r\nbreak.txt', 'line break.txt'],
    ['nul\0byte.pdf', 'nul byte.pdf'],
    ['invoice\u202efdp.exe', 'invoice fdp.exe'],
    ['zero\u200bwidth\ufeff.md', 'zero width .md'],
    ['quoted "name".txt', 'quoted _name_.txt'],
    ['half \ud83d.txt', 'half .txt'],
    ['Übersicht 2026 – Entwurf (2).pdf', 'Übersicht 2026 – Entwurf (2).pdf'],
    ['報告書.pdf', '報告書.pdf'],
  ])('%j becomes %j', (name, safe) => expect(safeDocumentName(name)).toBe(safe))

  test('keeps its extension when it is cut', () => {
    const safe = safeDocumentName(`${'long '.repeat(100)}.markdown`)
    expect(safe).toMatch(/\w\.markdown$/)
    expect([...safe].length).toBeLessThanOrEqual(NAME_LENGTH_MAX)
  })

  test('is made in time of dots without end', () => {
    expect(endsInTime(() => safeDocumentName(`a${'.'.repeat(200_000)}b.ts`))).toBe('a.ts')
  })

  test('is one visible path segment for any input, and stays the same when applied again', () => {
    const character = fc.oneof(
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
      fc.constantFrom('/', '\\', '.', ' ', '\u202e', '\u2066', '\n', '\0', '"', '\ud800', '\u2028'),
    )
    fc.assert(
      fc.property(fc.array(character, { maxLength: 300 }), characters => {
        const safe = safeDocumentName(characters.join(''))
        expect(safe).not.toMatch(/[/\\<>:"|?*`\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
        expect(safe).not.toMatch(/^[.\s]|[.\s]$/)
        expect([...safe].length).toBeGreaterThan(0)
        expect([...safe].length).toBeLessThanOrEqual(NAME_LENGTH_MAX)
        expect(safeDocumentName(safe)).toBe(safe)
      }),
    )
  })
})
