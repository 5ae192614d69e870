import { describe, expect, test } from '@jest/globals'
import { FOLDER_TYPE } from '../domain/document-kind'
import { FILE_BYTES_MAX, TEXT_LENGTH_MAX } from '../domain/document-limits'
import { readFile } from './read-file'

const { signal } = new AbortController()
const resultOf = async (content: BlobPart, name = 'a.txt') =>
  (await readFile(new File([content], name), signal)).result

describe('a file that cannot be attached', () => {
  test('because it is too large is not even read', async () => {
    const file = new File([], 'a.txt')
    Object.defineProperty(file, 'size', { value: FILE_BYTES_MAX + 1 })
    file.arrayBuffer = () => Promise.reject(new Error('was read'))
    expect((await readFile(file, signal)).result).toEqual({ fault: 'tooLarge' })
  })

  test('because it is a video of any size', async () => {
    const file = new File(['\0\0\0 ftypisom'], 'a.mp4')
    Object.defineProperty(file, 'size', { value: FILE_BYTES_MAX + 1 })
    expect((await readFile(file, signal)).result).toEqual({ fault: 'notText' })
  })

  test('because it is a folder', async () => {
    const folder = new File([], 'notes', { type: FOLDER_TYPE })
    expect((await readFile(folder, signal)).result).toEqual({ fault: 'folder' })
  })

  test.each([
    ['', 'empty'],
    [' \n', 'empty'],
    ['PK\u0003\u0004', 'notText'],
  ])('because of its content (%j)', async (content, fault) => {
    expect(await resultOf(content, 'looks-like.pdf')).toEqual({ fault })
  })

  test('because it vanished meanwhile', async () => {
    const file = new File(['x'], 'a.txt')
    file.arrayBuffer = () => Promise.reject(new DOMException('gone', 'NotFoundError'))
    expect((await readFile(file, signal)).result).toEqual({ fault: 'unreadable' })
  })
})

test('a long text is cut, and marked as cut', async () => {
  const result = await resultOf('x'.repeat(TEXT_LENGTH_MAX + 1))
  expect(result).toMatchObject({ isCut: true, pageCount: null, mediaType: 'text/plain' })
  expect('text' in result && result.text).toHaveLength(TEXT_LENGTH_MAX)
})
