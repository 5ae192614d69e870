/** @jest-environment jsdom */
import { afterEach, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'

let pathname = '/account'
jest.unstable_mockModule('next/navigation', () => ({ usePathname: () => pathname }))
const { PageFocus } = await import('./page-focus')

afterEach(cleanup)

const page = () => (
  <main>
    <h1 tabIndex={-1}>Account</h1>
    <PageFocus />
  </main>
)

test('the focus moves to the heading of the next page and of the page in another language, not of the first', async () => {
  const { rerender, unmount } = render(page())
  await new Promise(requestAnimationFrame)
  expect(document.activeElement).toBe(document.body)
  pathname = '/pricing'
  rerender(page())
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading')))
  unmount()
  expect(document.activeElement).toBe(document.body)
  pathname = '/es/pricing'
  render(page())
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading')))
})

test('the focus moves to a place on the same page, to which the router only scrolls', async () => {
  pathname = '/account'
  render(
    <>
      <a href="/account#settings" onClick={event => event.preventDefault()}>
        Settings
      </a>
      <main>
        <section id="settings">
          <h2 tabIndex={-1}>Settings</h2>
        </section>
      </main>
      <PageFocus />
    </>,
  )
  fireEvent.click(screen.getByRole('link'))
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('heading')))
})

test.each([
  ['gets the focus, as browsers other than Safari give it to a button', 'main', 1, 'button'],
  ['leaves the focus in a field that it lets keep it', 'textbox', 1, 'textbox'],
  ['leaves the focus where it is if a shortcut pressed it', 'main', 0, 'main'],
])('a button that is pressed %s', (_, before, detail, after) => {
  render(
    <main tabIndex={-1}>
      <textarea />
      <button type="button">
        <b>Copy</b>
      </button>
      <PageFocus />
    </main>,
  )
  screen.getByRole(before).focus()
  fireEvent.click(screen.getByText('Copy'), { detail })
  expect(document.activeElement).toBe(screen.getByRole(after))
})
