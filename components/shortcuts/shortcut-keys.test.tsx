/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react'
import { en } from '@/test/support/messages'
import { renderInEnglish, stubDialogs } from '@/test/support/render'
import { SHORTCUTS } from './shortcuts'

jest.unstable_mockModule('next/navigation', () => ({
  useRouter: () => ({}),
  usePathname: () => '/',
}))
await import('./shortcut-keys')
const { LazyShortcuts } = await import('./lazy-shortcuts')

const pressed: string[] = []

beforeEach(async () => {
  pressed.length = 0
  localStorage.clear()
  stubDialogs()
  await act(
    async () =>
      void renderInEnglish(
        <main>
          {['first', 'last', 'left'].map(name => (
            // A conversation that was left stays mounted for a moment.
            <div key={name} inert={name === 'left'}>
              <article data-message={name}>
                <button
                  type="button"
                  data-shortcut="copyAnswer"
                  onClick={() => pressed.push(`copy ${name}`)}
                />
                <button
                  type="button"
                  data-shortcut="answerAgain"
                  disabled={name === 'last'}
                  onClick={() => pressed.push(name)}
                />
              </article>
            </div>
          ))}
          <button type="button" data-shortcut="stop" onClick={() => pressed.push('stop')} />
          <textarea id="message-box" aria-label="Message" />
          <LazyShortcuts />
        </main>,
      ),
  )
})
afterEach(cleanup)

const press = (key: string, init: KeyboardEventInit = {}) =>
  act(async () => void fireEvent.keyDown(document.activeElement ?? document.body, { key, ...init }))
const list = () => screen.findByRole('dialog', { name: 'Keyboard shortcuts' })

test('a shortcut presses its button of the last message, if it is enabled', async () => {
  await press('y', { altKey: true })
  await press('r', { altKey: true })
  await press('Escape')
  expect(pressed).toEqual(['copy last', 'stop'])
  await press('i', { altKey: true })
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Message' }))
  await press('?')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('Escape that closes a dialog stops no answer, though the code for shortcuts comes later', async () => {
  const dialog = document.createElement('dialog')
  const button = document.createElement('button')
  dialog.open = true
  dialog.append(button)
  document.body.append(dialog)
  await act(async () => {
    fireEvent.keyDown(button, { key: 'Escape' })
    // What a closed dialog held is gone.
    dialog.open = false
    button.remove()
  })
  expect(pressed).toEqual([])
  await press('Escape')
  expect(pressed).toEqual(['stop'])
  dialog.remove()
})

test('whoever begins to write while nothing has the focus writes a message', async () => {
  const box = screen.getByRole('textbox', { name: 'Message' })
  for (const [key, init] of [
    [' ', {}],
    ['PageDown', {}],
    ['c', { ctrlKey: true }],
  ] as const) {
    await press(key, init)
    expect(document.activeElement).toBe(document.body)
  }
  await press('ü')
  expect(document.activeElement).toBe(box)
})

test('the list names every shortcut, and no other shortcut works while it is open', async () => {
  await press('?')
  const names = within(await list())
    .getAllByRole('term')
    .map(({ textContent }) => textContent)
  const words: Record<string, string> = en.shortcuts
  expect(names).toEqual(
    [...Object.keys(SHORTCUTS), 'send', 'newLine', 'rename', 'remove'].map(name => words[name]),
  )
  await press('Escape')
  expect(pressed).toEqual([])
})

test('the shortcut without a modifier key can be switched off', async () => {
  await press('?')
  fireEvent.click(within(await list()).getByRole('switch', { name: /Open this list/ }))
  fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  await press('?')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(localStorage.getItem('plainKeys')).toBe('off')
})
