/** @jest-environment jsdom */
import { expect, jest, test } from '@jest/globals'
import { act } from '@testing-library/react'
import { useStore } from '@/components/ui/use-store'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { createExternalStore } from '@/lib/local/storage/external-store'
import { renderInEnglish } from '@/test/support/render'

const pathStore = createExternalStore('/')
const usePathname = () => useStore(pathStore)
jest.unstable_mockModule('@/lib/i18n/navigation', () => ({ usePathname }))
const { OfflineSupport } = await import('./offline-support')

/** A browser that knows one version of the worker, while the next one waits for its turn. */
function stubServiceWorker() {
  const [active, waiting] = [{ postMessage: jest.fn() }, { postMessage: jest.fn() }]
  const registration = Object.assign(new EventTarget(), { active, waiting, installing: null })
  const register = jest.fn(async () => registration)
  const container = { register, ready: Promise.resolve(registration) }
  Object.defineProperty(navigator, 'serviceWorker', { configurable: true, value: container })
  return { register, active, listen: jest.spyOn(registration, 'addEventListener') }
}

test('a page registers once however often it is moved on, and a dismissed new version stays dismissed', async () => {
  jest.useFakeTimers()
  performance.getEntriesByType = () => []
  // There is no worker in development.
  Reflect.set(process.env, 'NODE_ENV', 'production')
  const { register, active, listen } = stubServiceWorker()
  const { unmount } = renderInEnglish(<OfflineSupport />)
  const becomeIdle = () => act(() => jest.runAllTimersAsync())
  await becomeIdle()
  expect(noticeStore.getSnapshot()).toMatchObject({ hidden: false, text: 'A new version is here.' })
  noticeStore.hide()
  for (const path of ['/pricing', '/', '/account']) {
    act(() => pathStore.set(path))
    await becomeIdle()
  }
  expect([register, listen].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
  // The chat is cached each time it is shown.
  expect(active.postMessage).toHaveBeenCalledTimes(2)
  // The page in another language begins anew.
  unmount()
  renderInEnglish(<OfflineSupport />)
  await becomeIdle()
  expect(noticeStore.getSnapshot().hidden).toBe(true)
})
