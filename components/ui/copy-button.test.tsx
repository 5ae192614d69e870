/** @jest-environment jsdom */
import { afterEach, expect, test } from '@jest/globals'
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { renderInEnglish } from '@/test/support/render'
import { CopyButton } from './copy-button'

afterEach(() => {
  cleanup()
  Reflect.deleteProperty(navigator, 'clipboard')
  Reflect.deleteProperty(document, 'execCommand')
})

/** What a browser does that obeys the command; returns what it has copied. */
function stubCommand(): Map<string, string> {
  const copied = new Map<string, string>()
  const execCommand = (command: string) => {
    const clipboardData = { setData: (type: string, content: string) => void copied.set(type, content) }
    const event = Object.assign(new Event(command, { bubbles: true, cancelable: true }), { clipboardData })
    return !document.body.dispatchEvent(event)
  }
  Object.assign(document, { execCommand })
  return copied
}

function press(readHtml?: () => string): void {
  renderInEnglish(<CopyButton text="twelve words" label="Copy words" readHtml={readHtml} />)
  fireEvent.click(screen.getByRole('button', { name: 'Copy words' }))
}

test('over plain HTTP, where there is no clipboard, text is copied by command', async () => {
  const copied = stubCommand()
  press()
  await screen.findByRole('button', { name: 'Copied' })
  expect([...copied]).toEqual([['text/plain', 'twelve words']])
})

test('a browser whose clipboard takes text alone is given both forms by command', async () => {
  const copied = stubCommand()
  Reflect.set(navigator, 'clipboard', { writeText: () => Promise.reject(new Error('asked for text alone')) })
  press(() => '<b>twelve</b> words')
  await screen.findByRole('button', { name: 'Copied' })
  expect([...copied]).toEqual([
    ['text/plain', 'twelve words'],
    ['text/html', '<b>twelve</b> words'],
  ])
})

test('a browser that does not obey the command is said not to have copied', async () => {
  Object.assign(document, { execCommand: () => false })
  press()
  expect(await screen.findByRole('button', { name: 'Could not copy' })).toBeTruthy()
})

test('nothing else that is copied later is replaced by it', async () => {
  const copied = stubCommand()
  press()
  await screen.findByRole('button', { name: 'Copied' })
  copied.clear()
  document.execCommand('copy')
  expect([...copied]).toEqual([])
})

test.each([true, false])('its shortcut finds it, whether it is an icon alone or not (%p)', iconOnly => {
  renderInEnglish(<CopyButton text="words" label="Copy words" shortcut="copyAnswer" iconOnly={iconOnly} />)
  expect(screen.getByRole('button', { name: 'Copy words' }).dataset.shortcut).toBe('copyAnswer')
})
