import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { signIn } from '@/lib/auth/testing'
import { changeProfile, confirmNewEmail } from './profile'
import { TestBrowser } from './testing'

const browser = new TestBrowser()
const CHANGE = { newEmail: 'ada@new.example', oldEmail: 'ada@example.com' }
const fetchOfNode = globalThis.fetch

/** The paths of our own routes that were asked. */
let asked: string[] = []

beforeEach(() => {
  browser.start()
  asked = []
  globalThis.fetch = async input => {
    asked.push(String(input))
    return new Response(null, { status: 204 })
  }
  Object.assign(globalThis, {
    window: { location: { origin: 'http://site.test', pathname: '/account', search: '' } },
  })
})

afterEach(async () => {
  globalThis.fetch = fetchOfNode
  Reflect.deleteProperty(globalThis, 'window')
  await browser.stop()
})

async function openTabOf(email: string) {
  await signIn(browser.server, browser.jar, email)
  const store = browser.openTab({ status: 'unknown' })
  const events: string[] = []
  ;(await store.client()).onAuthStateChange(event => {
    events.push(event)
  })
  await browser.settle()
  return { store, events }
}

test('a changed name emits USER_UPDATED and is stored with the session', async () => {
  const { store, events } = await openTabOf('ada@example.com')
  expect((await changeProfile(store, { name: 'Ada' })).error).toBeNull()
  expect(events).toContain('USER_UPDATED')
  expect(store.getSnapshot().user).toMatchObject({ name: 'Ada', email: 'ada@example.com' })
  const later = browser.openTab({ status: 'unknown' })
  await browser.settle()
  expect(later.getSnapshot().user?.name).toBe('Ada')
})

test('a new email address takes effect once its code was entered', async () => {
  const { store, events } = await openTabOf('ada@example.com')
  expect((await changeProfile(store, { email: 'ada@new.example' })).error).toBeNull()
  expect(events).toContain('USER_UPDATED')
  expect(store.getSnapshot().user).toMatchObject({ email: 'ada@example.com', newEmail: 'ada@new.example' })
  const wrong = await confirmNewEmail(store, { ...CHANGE, code: 'wrong' })
  expect(wrong.error).toBe('codeExpired')
  expect(asked).toEqual(['/auth/begin'])
  const code = browser.server.state.emailCodes.get('ada@new.example')?.code ?? ''
  expect((await confirmNewEmail(store, { ...CHANGE, code })).error).toBeNull()
  expect(store.getSnapshot().user).toMatchObject({ email: 'ada@new.example', newEmail: null })
  // The note of the address that a mail was sent to is not left behind.
  expect(asked).toEqual(['/auth/begin', '/auth/complete'])
})

test('a change of address that both addresses must confirm asks for the second code, and accepts the old address’s', async () => {
  const { store } = await openTabOf('ada@example.com')
  await changeProfile(store, { email: 'ada@new.example' })
  const { emailCodes, halfConfirmations } = browser.server.state
  halfConfirmations.add('111111')
  expect((await confirmNewEmail(store, { ...CHANGE, code: '111111' })).error).toBe('halfConfirmed')
  expect(store.getSnapshot().user?.newEmail).toBe('ada@new.example')
  emailCodes.set('ada@example.com', { code: '222222', tokenHash: 'x' })
  expect((await confirmNewEmail(store, { ...CHANGE, code: '222222' })).error).toBeNull()
  const verified = browser.server.callsTo('/verify').slice(-2)
  expect(verified.map(({ body }) => body.email)).toEqual(['ada@new.example', 'ada@example.com'])
})

test('the email address of another account is refused', async () => {
  await signIn(browser.server, browser.jar, 'grace@example.com')
  const { store } = await openTabOf('ada@example.com')
  expect((await changeProfile(store, { email: 'grace@example.com' })).error).toBe('emailTaken')
  expect(store.getSnapshot().user?.newEmail).toBeNull()
})
