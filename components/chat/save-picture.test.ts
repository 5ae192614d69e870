/** @jest-environment jsdom */
import { expect, test } from '@jest/globals'
import { toFile } from './save-picture'

test.each([
  '',
  'https://a.test/x.png',
  'data:text/html;base64,AAAA',
  'data:image/png;base64,%%%',
  'image-store:1',
])('%s cannot be saved as a file', url => {
  expect(toFile(url)).toBeNull()
})

test.each([
  ['data:image/png;base64,iVBORw0KGgo=', 'png', 8],
  ['data:image/jpeg;base64,/9j/', 'jpg', 3],
  ['data:image/svg+xml;base64,PHN2Zz4=', 'svg', 5],
])('%s is saved as a file with the ending %s', (url, ending, size) => {
  const file = toFile(url)
  expect(file).toMatchObject({ ending })
  expect(file?.blob.size).toBe(size)
})
