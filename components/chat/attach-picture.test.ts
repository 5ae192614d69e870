/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { attachPicture } from './attach-picture'

afterEach(() => {
  jest.useRealTimers()
  Reflect.deleteProperty(window, 'createImageBitmap')
})

test('a picture whose decoding never ends counts as unreadable, so that other files get their turn', async () => {
  jest.useFakeTimers()
  Object.assign(window, { createImageBitmap: () => new Promise<never>(() => {}) })
  const attached = attachPicture(new File(['?'], 'a.heic', { type: 'image/heic' }), new Date(0))
  await jest.advanceTimersByTimeAsync(60_000)
  expect(await attached).toBeNull()
})
