/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { PathnameContext } from 'next/dist/shared/lib/hooks-client-context.shared-runtime'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { AnalyticsSwitch } from './analytics-consent'
import { ConsentedAnalytics } from './consented-analytics'

const ADDRESS = 'https://count.example/tag'

const pageAt = (pathname: string, address = ADDRESS) => (
  <PathnameContext.Provider value={pathname}>
    <ConsentedAnalytics address={address} question="May it count?" allow="Allow" />
  </PathnameContext.Provider>
)
const frame = () => document.querySelector('iframe')
const rest = () => act(() => jest.advanceTimersByTimeAsync(5_000))
const privacyControl = (value: boolean) =>
  Object.defineProperty(navigator, 'globalPrivacyControl', { value, configurable: true })

beforeEach(() => {
  jest.useFakeTimers()
  localStorage.clear()
  sessionStorage.clear()
  noticeStore.hide()
  privacyControl(false)
})
afterEach(() => {
  cleanup()
  jest.useRealTimers()
})

test('nothing of the analytics service is loaded before it is allowed', async () => {
  render(pageAt('/'))
  expect(noticeStore.getSnapshot().hidden).toBe(true)
  await rest()
  expect(noticeStore.getSnapshot()).toMatchObject({ hidden: false, text: 'May it count?' })
  expect(frame()).toBeNull()
  act(() => noticeStore.hide())
  expect(frame()).toBeNull()
  // The next page of the visit does not ask again.
  cleanup()
  render(pageAt('/'))
  await rest()
  expect(noticeStore.getSnapshot().hidden).toBe(true)
})

test('the consent question waits until another notice is closed', async () => {
  noticeStore.show('success', 'Everything is deleted.')
  render(pageAt('/'))
  await rest()
  expect(noticeStore.getSnapshot().text).toBe('Everything is deleted.')
  act(() => noticeStore.hide())
  expect(noticeStore.getSnapshot()).toMatchObject({ hidden: false, text: 'May it count?' })
})

test('once allowed, each page view is reported without private parts of the address', async () => {
  const { rerender } = render(pageAt('/pricing'))
  await rest()
  act(() => noticeStore.getSnapshot().action?.run())
  const loaded = frame()
  expect(loaded?.getAttribute('src')).toBe(ADDRESS)
  expect(loaded?.getAttribute('referrerpolicy')).toBe('no-referrer')
  expect(noticeStore.getSnapshot().hidden).toBe(true)
  const postMessage = jest.fn()
  Object.defineProperty(loaded, 'contentWindow', { value: { postMessage } })
  if (loaded) fireEvent.load(loaded)
  rerender(pageAt('/a-secret-in-the-address'))
  expect(postMessage.mock.calls).toEqual([
    [{ type: 'page_view', page: 'http://localhost/pricing' }, 'https://count.example'],
    [{ type: 'page_view', page: 'http://localhost/other' }, 'https://count.example'],
  ])
})

test('consent is remembered only for the service that was allowed', async () => {
  render(pageAt('/'))
  await rest()
  act(() => noticeStore.getSnapshot().action?.run())
  cleanup()
  render(pageAt('/'))
  await rest()
  expect(frame()).not.toBeNull()
  cleanup()
  sessionStorage.clear()
  render(pageAt('/', 'https://other.example/tag'))
  await rest()
  expect(frame()).toBeNull()
  expect(noticeStore.getSnapshot().hidden).toBe(false)
})

const consentSwitch = () => screen.getByRole<HTMLInputElement>('switch')
const withSwitch = (
  <>
    {pageAt('/account')}
    <AnalyticsSwitch
      origin="https://count.example"
      label="Count"
      hint="It counts."
      refusedHint="It does not."
    />
  </>
)

test('a switch withdraws and gives consent, and after a withdrawal nobody is asked again', async () => {
  render(withSwitch)
  await rest()
  act(() => noticeStore.getSnapshot().action?.run())
  expect(consentSwitch().checked).toBe(true)
  expect(frame()).not.toBeNull()
  fireEvent.click(consentSwitch())
  expect(frame()).toBeNull()
  cleanup()
  sessionStorage.clear()
  render(withSwitch)
  await rest()
  expect(consentSwitch().checked).toBe(false)
  expect(noticeStore.getSnapshot().hidden).toBe(true)
  fireEvent.click(consentSwitch())
  expect(frame()).not.toBeNull()
})

test('a browser with Global Privacy Control is neither asked nor counted', async () => {
  localStorage.setItem('analyticsConsent', 'https://count.example')
  privacyControl(true)
  render(withSwitch)
  await rest()
  expect(frame()).toBeNull()
  expect([consentSwitch().checked, consentSwitch().disabled]).toEqual([false, true])
  expect(screen.getByText('It does not.')).toBeTruthy()
  expect(noticeStore.getSnapshot().hidden).toBe(true)
})
