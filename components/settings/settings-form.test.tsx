/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import { de } from '@/test/support/messages'
import { renderInEnglish } from '@/test/support/render'
import { SettingsForm } from './settings-form'

const stored = () => JSON.parse(localStorage.getItem('settings') ?? '{}')
const change = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } })
/** One letter after the other. */
const type = (label: string, text: string) => {
  for (const end of text.split('').keys()) change(label, text.slice(0, end + 1))
}

beforeEach(() => {
  localStorage.clear()
  renderInEnglish(<SettingsForm />)
})
afterEach(cleanup)

test.each([
  ['Enter sends', 'enterToSend', false],
  ['Start with a new chat', 'showNewChatOnStartup', false],
  ['Offer to read answers aloud', 'audioEnabled', false],
  ['Read every answer aloud', 'autoPlayTts', true],
])('the switch "%s" stores %s at once', (label, field, value) => {
  fireEvent.click(screen.getByRole('switch', { name: new RegExp(`^${label}`) }))
  expect(stored()[field]).toBe(value)
})

test.each([
  ['Theme', 'dark', { theme: 'dark' }],
  ['Language', 'fr', { language: 'fr' }],
  ['Speed', '1.5', { defaultPlaybackSpeed: 1.5 }],
])('the field "%s" stores the chosen value', (label, value, expected) => {
  change(label, value)
  expect(stored()).toMatchObject(expected)
})

test('the language field has the focus again on the page in the chosen language', async () => {
  change('Language', 'de')
  cleanup()
  render(
    <NextIntlClientProvider locale="de" messages={de}>
      <SettingsForm />
    </NextIntlClientProvider>,
  )
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Sprache')))
})

test('the arrow keys move through the languages, and the last one reached is chosen', () => {
  jest.useFakeTimers()
  const field = screen.getByLabelText<HTMLSelectElement>('Language')
  for (const reached of ['es', 'de']) {
    fireEvent.keyDown(field, { key: 'ArrowDown' })
    change('Language', reached)
    expect(field.value).toBe(reached)
    expect(stored()).not.toHaveProperty('language')
    jest.advanceTimersByTime(1000)
  }
  act(() => jest.advanceTimersByTime(1000))
  jest.useRealTimers()
  expect(stored()).toMatchObject({ language: 'de' })
})

test('a language that the page has already does not draw the focus when the page is opened again', async () => {
  change('Language', 'en')
  cleanup()
  renderInEnglish(<SettingsForm />)
  await new Promise(resolve => requestAnimationFrame(resolve))
  expect(document.activeElement).toBe(document.body)
})

test('choosing the system theme removes the stored theme', () => {
  change('Theme', 'dark')
  change('Theme', 'system')
  expect(stored()).not.toHaveProperty('theme')
})

test('no voice field is shown before the speech offer is known', () => {
  expect(screen.queryByLabelText('Voice')).toBeNull()
})

test('a memory limit that is too small is refused with the reason', () => {
  change('Memory, in tokens', '4096')
  fireEvent.blur(screen.getByLabelText('Memory, in tokens'))
  change('Memory, in tokens', '12')
  expect(screen.getByRole('alert').textContent).toContain('at least 256')
  expect(localStorage.getItem('maxContext')).toBe('4096')
})

test('a spending limit in cents is stored in dollars, and removed when its field is emptied', () => {
  change('Most per message, in cents', '2,5')
  change('Most per chat, in cents', '100')
  expect(JSON.parse(localStorage.getItem('spendingLimits') ?? '')).toEqual({
    message_usd: 0.025,
    conversation_usd: 1,
  })
  change('Most per chat, in cents', '-1')
  expect(screen.getByRole('alert').textContent).toContain('in cents')
  change('Most per chat, in cents', '')
  expect(JSON.parse(localStorage.getItem('spendingLimits') ?? '').conversation_usd).toBeNull()
})

test.each([
  ['1,000', 10],
  ['0.25', 0.0025],
  ['.5', 0.005],
])('a spending limit of %s cents is %d dollars, as everywhere', (text, usd) => {
  change('Most per chat, in cents', text)
  expect(JSON.parse(localStorage.getItem('spendingLimits') ?? '').conversation_usd).toBe(usd)
})

test.each(['1e3', '0x10', '$5', '1.234'])('%s cents could mean something else, and is refused', text => {
  type('Most per chat, in cents', text)
  expect(screen.getByRole('alert').textContent).toContain('in cents')
  expect(JSON.parse(localStorage.getItem('spendingLimits') ?? '{}').conversation_usd ?? null).toBeNull()
})

test('a refused entry leaves what was there before it, and shows that again', () => {
  change('Most per chat, in cents', '25')
  const field = screen.getByLabelText<HTMLInputElement>('Most per chat, in cents')
  fireEvent.blur(field)
  type('Most per chat, in cents', '1e3')
  expect(JSON.parse(localStorage.getItem('spendingLimits') ?? '').conversation_usd).toBe(0.25)
  fireEvent.blur(field)
  expect(field.value).toBe('25')
  expect(screen.queryByRole('alert')).toBeNull()
})

test('a memory limit that is no number is refused, and does not stay in its field', () => {
  const field = screen.getByLabelText<HTMLInputElement>('Memory, in tokens')
  change('Memory, in tokens', '4096')
  // As browsers tell of `4096e`: without a text.
  Object.defineProperty(field, 'validity', { value: { badInput: true } })
  change('Memory, in tokens', '')
  expect(screen.getByRole('alert').textContent).toContain('at least 256')
  expect(localStorage.getItem('maxContext')).toBe('2048')
  fireEvent.blur(field)
  expect(field.value).toBe('2048')
})

test('the amount fields are in one group, and formatted in the language', () => {
  change('Most per message, in cents', '2.5')
  cleanup()
  render(
    <NextIntlClientProvider locale="de" messages={de}>
      <SettingsForm />
    </NextIntlClientProvider>,
  )
  const chat = within(screen.getByRole('group', { name: 'Chat' }))
  expect(chat.getByLabelText(de.settings.spending.messageUsd)).toHaveProperty('value', '2,50')
  expect(chat.getByLabelText(de.lowBalance.setting)).toHaveProperty('value', '0,10')
})
