/** @jest-environment jsdom */
import { afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { ADA, renderFor } from '@/components/auth/testing'
import type { AuthBrowserClient } from '@/lib/auth/client/browser-client'
import type { AuthUser } from '@/lib/auth/domain/auth-user'
import { creditIdStore } from '@/lib/local/credit-id'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { press, renderInEnglish, stubDialogs } from '@/test/support/render'
import { DeleteEverything } from './delete-everything'

function show() {
  renderInEnglish(<DeleteEverything />)
  fireEvent.click(screen.getByRole('button', { name: 'Delete everything…' }))
}

const isDisabled = () => screen.getByRole('button', { name: 'Delete now' }).hasAttribute('disabled')

beforeAll(stubDialogs)
beforeEach(() => localStorage.clear())
afterEach(cleanup)

test.each(['', 'del', 'remove', 'delete it'])('typing "%s" does not confirm', text => {
  show()
  fireEvent.change(screen.getByRole('textbox'), { target: { value: text } })
  expect(isDisabled()).toBe(true)
})

test('typing the word confirms, in upper or lower case', () => {
  show()
  fireEvent.change(screen.getByRole('textbox'), { target: { value: ' Delete ' } })
  expect(isDisabled()).toBe(false)
})

test('the dialog says what happens to the credit, which is kept by default', () => {
  creditIdStore.write('1a2b3c4d-2222-4333-8444-555555555555')
  show()
  expect(screen.getByText(/1a2b3c4d… stays in this browser/)).toBeTruthy()
  fireEvent.click(screen.getByRole('switch', { name: 'Keep my credit' }))
  expect(screen.getByText(/the money is lost for good/)).toBeTruthy()
})

test('without a credit the dialog does not mention one', () => {
  show()
  expect(screen.queryByRole('switch')).toBeNull()
})

test.each<[AuthUser | null, number]>([
  [ADA, 1],
  [null, 0],
])('the dialog says that a person is signed out as well, to whoever is signed in', (user, count) => {
  renderFor(user, <DeleteEverything />)
  fireEvent.click(screen.getByRole('button', { name: 'Delete everything…' }))
  expect(screen.queryAllByText(/You are signed out in this browser as well/)).toHaveLength(count)
})

// Of a session that is not known, the cookies are kept until the service can be asked, and would sign in again then.
test.each([ADA, undefined])('deleting everything ends the session here, known or not', async user => {
  const signedOut: string[] = []
  const client = {
    onAuthStateChange: () => undefined,
    signOut: ({ scope }: { scope: string }) => {
      signedOut.push(scope)
      // The page is not reloaded in this test.
      return new Promise(() => {})
    },
  }
  renderFor(user, <DeleteEverything />, async () =>
    Object.assign(Object.create(null) as AuthBrowserClient, client),
  )
  fireEvent.click(screen.getByRole('button', { name: 'Delete everything…' }))
  fireEvent.change(screen.getByRole('textbox'), { target: { value: 'delete' } })
  await press('Delete now')
  expect(signedOut).toEqual(['local'])
})

test('what ends the session cannot be loaded: the rest is deleted, and it is said that not everything was', async () => {
  creditIdStore.write('1a2b3c4d-2222-4333-8444-555555555555')
  window.reportError = () => undefined
  renderFor(ADA, <DeleteEverything />)
  fireEvent.click(screen.getByRole('button', { name: 'Delete everything…' }))
  fireEvent.click(screen.getByRole('switch', { name: 'Keep my credit' }))
  fireEvent.change(screen.getByRole('textbox'), { target: { value: 'delete' } })
  await press('Delete now')
  expect(await screen.findByText(/Not everything could be deleted/)).toBeTruthy()
  expect(localStorage.getItem('credit_id')).toBeNull()
})

test('after everything was deleted, the reloaded page says so once', () => {
  sessionStorage.setItem('everythingDeleted', '1')
  show()
  expect(noticeStore.getSnapshot()).toMatchObject({ hidden: false, text: 'Everything is deleted.' })
  cleanup()
  noticeStore.hide()
  show()
  expect(noticeStore.getSnapshot().hidden).toBe(true)
})
