/** @jest-environment jsdom */
import { beforeEach, describe, expect, test } from '@jest/globals'
import { type Chord, SHORTCUTS, shortcutOf } from './shortcuts'

const keyEvent = (init: KeyboardEventInit, target: Element = document.body) => {
  const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init })
  target.dispatchEvent(event)
  return event
}
const eventOf = ({ key, alt, ctrl, meta, shift }: Chord): KeyboardEventInit => ({
  key:
    key.length === 1 && shift
      ? key.toUpperCase()
      : key.replace(/^a(rrow)(.)/, (_, rest, first) => `A${rest}${first.toUpperCase()}`),
  altKey: alt,
  ctrlKey: ctrl,
  metaKey: meta,
  shiftKey: shift,
})
const meaning = (init: KeyboardEventInit, target?: Element, isMac = false) =>
  shortcutOf(keyEvent(init, target), isMac)

function element(html: string): Element {
  document.body.innerHTML = html
  const found = document.querySelector('[data-target]') ?? document.body.firstElementChild
  if (!found) throw new Error('no element')
  return found
}

beforeEach(() => {
  document.body.innerHTML = ''
})

describe.each(Object.entries(SHORTCUTS))('the keys of %s', (name, { chord, mac }) => {
  test('work on their platform, and never during text composition', () => {
    for (const [keys, isMac] of [
      [chord, false],
      [mac, true],
    ] as const) {
      expect(meaning(eventOf(keys), undefined, isMac)).toBe(name)
      expect(meaning({ ...eventOf(keys), isComposing: true }, undefined, isMac)).toBeNull()
      expect(meaning({ ...eventOf(keys), keyCode: 229 }, undefined, isMac)).toBeNull()
      expect(meaning({ ...eventOf(keys), modifierAltGraph: true }, undefined, isMac)).toBeNull()
    }
  })

  test('do nothing in a dialog, or after another handler has used them', () => {
    const inDialog = element('<dialog open><button data-target></button></dialog>')
    expect(meaning(eventOf(chord), inDialog)).toBeNull()
    const used = element('<button></button>')
    used.addEventListener('keydown', event => event.preventDefault())
    expect(meaning(eventOf(chord), used)).toBeNull()
  })
})

test('no two shortcuts share their keys', () => {
  for (const platform of ['chord', 'mac'] as const) {
    const all = Object.values(SHORTCUTS).map(one => JSON.stringify(Object.entries(one[platform]).sort()))
    expect(new Set(all).size).toBe(all.length)
  }
})

test.each([
  ['<textarea></textarea>', ['?'], []],
  ['<input type="search">', ['?', 'Escape'], []],
  ['<div contenteditable="true"></div>', ['?'], []],
  ['<input type="checkbox">', [], ['?']],
])('%s keeps %j for itself', (html, kept, free) => {
  const field = element(html)
  Object.defineProperty(field, 'isContentEditable', { value: html.includes('contenteditable') })
  for (const key of kept) expect([key, meaning({ key }, field)]).toEqual([key, null])
  for (const key of free) expect(meaning({ key }, field)).not.toBeNull()
  expect(meaning({ key: 'n', altKey: true }, field)).toBe('newChat')
})

test('Alt+Down moves to the next message only in an empty text field, and never in a select', () => {
  const down = { key: 'ArrowDown', altKey: true }
  const box = element('<textarea></textarea>') as HTMLTextAreaElement
  expect(meaning(down, box)).toBe('next')
  box.value = 'Half a question'
  expect(meaning(down, box)).toBeNull()
  expect(meaning(down, element('<select></select>'))).toBeNull()
  expect(meaning(down, element('<input role="combobox">'))).toBeNull()
})

test('shortcuts work in other keyboard layouts and scripts', () => {
  expect(meaning({ key: '?', shiftKey: true })).toBe('list')
  expect(meaning({ key: '?' })).toBe('list')
  expect(meaning({ key: 'т', code: 'KeyN', altKey: true })).toBe('newChat')
  expect(meaning({ key: 'n', code: 'KeyN', altKey: true, ctrlKey: true })).toBeNull()
  expect(meaning({ key: 'n' })).toBeNull()
})
