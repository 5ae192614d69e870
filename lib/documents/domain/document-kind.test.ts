import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { documentKind } from './document-kind'
import { decodeText } from './plain-text'

const bytesOf = (text: string) => Uint8Array.from(text, character => character.charCodeAt(0))
const PDF = '%PDF-1.7\n1 0 obj'

describe('the type of a file', () => {
  test.each([
    ['a zip archive', 'PK\u0003\u0004rest'],
    ['a zip archive with a PDF in it', `PK\u0003\u0004${PDF}`],
    ['a picture that is a PDF as well', `GIF89a${PDF}`],
    ['a picture', '\u0089PNG\r\n'],
    ['a program', '\u007fELF\u0002\u0001'],
    ['a Windows program', 'MZ\u0090'],
    ['an old Word file', '\u00d0\u00cf\u0011\u00e0'],
    ['rich text', '{\\rtf1 hello}'],
    ['text with a zero byte', 'hello\0there'],
    ['mostly control characters', '\u0001\u0002\u0003ab'],
  ])('%s is refused', (_, text) => expect(documentKind(bytesOf(text))).toBe('binary'))

  test('is PDF by its first bytes alone', () => {
    expect(documentKind(bytesOf(PDF))).toBe('pdf')
    expect(documentKind(bytesOf(` ${PDF}`))).toBe('text')
    expect(documentKind(bytesOf(`<html>${PDF}`))).toBe('text')
  })

  test('is not PDF with other bytes before', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), before => {
        fc.pre(before[0] !== 0x25)
        expect(documentKind(new Uint8Array([...before, ...bytesOf(PDF)]))).not.toBe('pdf')
      }),
    )
  })

  test.each(['a,b\n1,2', '{"a":1}', '<script>alert(1)</script>', '\u001b[31mred\u001b[0m log', 'Größe 5 µm'])(
    '%j is text',
    text => expect(documentKind(new TextEncoder().encode(text))).toBe('text'),
  )
})

describe('the text of a file', () => {
  test('is read in every Unicode encoding', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), text => {
        const plain = text.replace(/\r\n?/g, '\n').replaceAll('\0', '')
        expect(decodeText(new TextEncoder().encode(text))).toBe(plain.replace(/^\ufeff/, ''))
        const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le')
        expect(decodeText(new Uint8Array(utf16))).toBe(plain)
      }),
    )
  })

  test('is read as Windows-1252 if it is not UTF-8, and never fails', () => {
    expect(decodeText(bytesOf('caf\u00e9 \u0080'))).toBe('café €')
    fc.assert(fc.property(fc.uint8Array(), bytes => typeof decodeText(bytes) === 'string'))
  })
})
