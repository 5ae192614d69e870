/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { pageWorld } from './page-world'

afterEach(() => {
  jest.useRealTimers()
  jest.restoreAllMocks()
})

test.each(['visible', 'hidden'] as const)(
  'a page that is %s takes more of an answer, at once if nobody looks',
  async state => {
    jest.useFakeTimers()
    jest.spyOn(document, 'visibilityState', 'get').mockReturnValue(state)
    let isReady = false
    const ready = pageWorld.readyForMore(new AbortController().signal).then(() => {
      isReady = true
    })
    await Promise.resolve().then(() => {})
    expect(isReady).toBe(state === 'hidden')
    jest.runAllTimers()
    await ready
  },
)

test('a page that has stopped reading an answer does not wait for more of it', async () => {
  const reading = new AbortController()
  const ready = pageWorld.readyForMore(reading.signal)
  reading.abort()
  await expect(ready).resolves.toBeUndefined()
})
