/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { savePicture, toFile } from './save-picture'

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

afterEach(() => {
  jest.useRealTimers()
  jest.restoreAllMocks()
})

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

test('a picture is named by its owner’s clock, which may be on another day than the server’s', async () => {
  jest.useFakeTimers({ now: new Date('2026-11-30T01:30:05Z') })
  jest.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(8 * 60)
  URL.createObjectURL = () => 'blob:picture'
  const names: string[] = []
  jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download)
  })
  expect(await savePicture(PIXEL)).toBe(true)
  expect(names).toEqual(['picture-2026-11-29T17-30-05.png'])
})
