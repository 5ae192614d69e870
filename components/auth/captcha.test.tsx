/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import type { AuthBrowserClient } from '@/lib/auth/client/browser-client'
import { press } from '@/test/support/render'
import { SignInPanel } from './sign-in-panel'
import { renderFor } from './testing'

const ADDRESS = 'https://person.example/check?site=1'
const ORIGIN = 'https://person.example'
const fetchBefore = globalThis.fetch

let mailed: (string | undefined)[]
/** Receives the messages to the captcha's frame. */
const postMessage = jest.fn()

beforeEach(() => {
  mailed = []
  postMessage.mockClear()
  globalThis.fetch = async () => Object.assign(Object.create(null), { ok: true, status: 204 })
})
afterEach(() => {
  cleanup()
  globalThis.fetch = fetchBefore
})

async function show(captchaFrameUrl?: string): Promise<void> {
  const client = {
    onAuthStateChange: () => undefined,
    signInWithOtp: async ({ options }: { options: { captchaToken?: string } }) => {
      mailed.push(options.captchaToken)
      return { data: {}, error: { code: 'captcha_failed' } }
    },
  }
  // Only the part of the library that mailing a code uses.
  const open = async () => Object.assign(Object.create(null) as AuthBrowserClient, client)
  await act(async () => {
    renderFor(null, <SignInPanel initialError={null} />, open, { captchaFrameUrl })
  })
  fireEvent.change(field(), { target: { value: 'ada@example.com' } })
}

const field = () => screen.getByRole('textbox', { name: 'Email address' })
const frame = () => screen.queryByTitle<HTMLIFrameElement>('Check that you are not a robot')
/** Focuses the field, which shows the captcha. */
function begin(): void {
  fireEvent.focus(field())
  Object.defineProperty(frame(), 'contentWindow', { value: { postMessage } })
}
const send = () => press('Email me a code')

/** Sends a message to the page; by default from the captcha's own frame. */
const receive = (data: unknown, origin = ORIGIN, source: unknown = frame()?.contentWindow) =>
  act(() => {
    const message = new MessageEvent('message', { data, origin })
    Object.defineProperty(message, 'source', { value: source })
    window.dispatchEvent(message)
  })

test('without a captcha address, requests carry no token and no frame is shown', async () => {
  await show()
  fireEvent.focus(field())
  await send()
  expect(mailed).toEqual([undefined])
  expect(document.querySelector('iframe')).toBeNull()
})

test('the captcha loads when the email field gets the focus, and nothing is sent before it is solved', async () => {
  await show(ADDRESS)
  expect(frame()).toBeNull()
  fireEvent.focus(screen.getByRole('button', { name: 'Continue with Google' }))
  expect(frame()).toBeNull()
  fireEvent.focus(field())
  expect(frame()?.getAttribute('src')).toBe(ADDRESS)
  expect(frame()?.getAttribute('sandbox')).toContain('allow-scripts')
  expect(frame()?.getAttribute('referrerpolicy')).toBe('no-referrer')
  await send()
  expect(mailed).toEqual([])
  expect(screen.getByText('First show below that you are not a robot.')).toBeTruthy()
})

test('each captcha token is used for one request, and the frame is told to reset', async () => {
  await show(ADDRESS)
  begin()
  receive({ type: 'captcha', token: 'first' })
  receive({ type: 'captcha', token: 'second', height: 300 })
  expect(frame()?.getAttribute('height')).toBe('300')
  await send()
  expect(mailed).toEqual(['second'])
  expect(postMessage.mock.calls).toEqual([[{ type: 'captcha_reset' }, ORIGIN]])
  expect(screen.getByText(/could not tell that you are not a robot/)).toBeTruthy()
  await send()
  expect(mailed).toEqual(['second'])
})

test.each([
  { from: 'another origin', data: { token: 'forged' }, origin: 'https://evil.example' },
  { from: 'a sandboxed page', data: { token: 'forged' }, origin: 'null' },
  { from: 'another window', data: { token: 'forged' }, isOtherWindow: true },
  { from: 'a page that means something else', data: { type: 'token', token: 'forged' } },
  { from: 'a page that sends no text', data: { token: { forged: true } } },
  { from: 'a page that sends too much', data: { token: 'x'.repeat(9000) } },
  { from: 'a page whose check has lapsed', data: { token: null } },
])('a message from $from is not accepted as a captcha token', async ({ data, origin, isOtherWindow }) => {
  await show(ADDRESS)
  begin()
  receive({ type: 'captcha', ...data }, origin, isOtherWindow ? window : undefined)
  receive(null)
  await send()
  expect(mailed).toEqual([])
})

test('the captcha frame cannot be higher than 640 pixels or lower than 1', async () => {
  await show(ADDRESS)
  begin()
  for (const [height, drawn] of [
    [1e9, '640'],
    [-5, '1'],
    ['900', '1'],
    [Number.NaN, '1'],
  ] as const) {
    receive({ type: 'captcha', height })
    expect(frame()?.getAttribute('height')).toBe(drawn)
  }
})
