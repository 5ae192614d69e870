/** @jest-environment jsdom */
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import { createRef } from 'react'
import { settingsStore } from '@/lib/local/settings/settings-store'
import { MessageBox } from './message-box'

function show() {
  const onSend = jest.fn()
  const onFiles = jest.fn()
  render(
    <NextIntlClientProvider locale="en" messages={{ chat: { message: 'Message' } }}>
      <MessageBox
        placeholder="Ask"
        ref={createRef<HTMLTextAreaElement>()}
        text="hello"
        onText={() => {}}
        onSend={onSend}
        onFiles={onFiles}
      />
    </NextIntlClientProvider>,
  )
  return { box: screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' }), onSend, onFiles }
}

afterEach(() => {
  cleanup()
  localStorage.clear()
  Reflect.deleteProperty(window, 'matchMedia')
})

test('a draft that was there before the box is continued at its end', () => {
  const { box } = show()
  expect(box.selectionStart).toBe('hello'.length)
})

test('the box is as high as its text, even if the window becomes narrower', () => {
  const textHeight = jest.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockReturnValue(50)
  const { box } = show()
  expect(box.style.height).toBe('50px')
  textHeight.mockReturnValue(150)
  fireEvent(window, new Event('resize'))
  expect(box.style.height).toBe('150px')
  textHeight.mockRestore()
})

describe('Enter', () => {
  test.each([
    ['with Shift', { shiftKey: true }],
    ['that ends a composition', { isComposing: true }],
    ['that ends a composition in Safari', { keyCode: 229 }],
  ])('%s does not send', (_, modifiers) => {
    const { box, onSend } = show()
    fireEvent.keyDown(box, { key: 'Enter', ...modifiers })
    expect(onSend).not.toHaveBeenCalled()
  })

  test('sends', () => {
    const { box, onSend } = show()
    expect(fireEvent.keyDown(box, { key: 'Enter' })).toBe(false)
    expect(onSend).toHaveBeenCalledTimes(1)
  })

  test('starts a new line on a touch screen, and sends with Control', () => {
    window.matchMedia = query =>
      Object.assign(new EventTarget(), { matches: query === '(pointer: coarse)' }) as never
    const { box, onSend } = show()
    expect(fireEvent.keyDown(box, { key: 'Enter' })).toBe(true)
    expect(box.getAttribute('enterkeyhint')).toBe('enter')
    expect(onSend).not.toHaveBeenCalled()
    fireEvent.keyDown(box, { key: 'Enter', ctrlKey: true })
    expect(onSend).toHaveBeenCalledTimes(1)
  })

  test('starts a new line if the settings say so, and sends with Control', () => {
    settingsStore.update({ enterToSend: false })
    const { box, onSend } = show()
    expect(fireEvent.keyDown(box, { key: 'Enter' })).toBe(true)
    expect(onSend).not.toHaveBeenCalled()
    fireEvent.keyDown(box, { key: 'Enter', ctrlKey: true })
    expect(onSend).toHaveBeenCalledTimes(1)
  })
})

describe('pasting', () => {
  const files = [new File(['picture'], 'image.png', { type: 'image/png' })]
  const clipboard = (texts: Record<string, string>) => ({
    files,
    getData: (type: string) => texts[type] ?? '',
  })

  test.each([
    ['a picture', {}],
    ['a picture of a page', { 'text/html': '<img src="https://example.org/a.png">' }],
    ['a file with its name', { 'text/plain': 'image.png' }],
  ])('%s attaches it', (_, texts) => {
    const { box, onFiles } = show()
    expect(fireEvent.paste(box, { clipboardData: clipboard(texts) })).toBe(false)
    expect(onFiles).toHaveBeenCalledWith(files)
  })

  test('text that comes with a picture of itself is pasted as text', () => {
    const { box, onFiles } = show()
    const texts = { 'text/plain': 'Rent\t900', 'text/html': '<table><tr><td>Rent<td>900</table>' }
    expect(fireEvent.paste(box, { clipboardData: clipboard(texts) })).toBe(true)
    expect(onFiles).not.toHaveBeenCalled()
  })
})
