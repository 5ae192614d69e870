/** @jest-environment jsdom */
import { afterEach, expect, test } from '@jest/globals'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { ALIVE_EVENT, keepEarlyInput } from './early-input'
import { PageAlive } from './page-alive'

afterEach(cleanup)

function Page() {
  const [text, setText] = useState('5')
  const [isLoud, setLoud] = useState(false)
  const [size, setSize] = useState('small')
  const [done, setDone] = useState<string[]>([])
  const state = `${text} ${isLoud} ${size}`
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        setDone([...done, `sent ${state}`])
      }}
    >
      <input aria-label="Text" value={text} onChange={event => setText(event.target.value)} />
      <input
        aria-label="Loud"
        type="checkbox"
        checked={isLoud}
        onChange={event => setLoud(event.target.checked)}
      />
      <select aria-label="Size" value={size} onChange={event => setSize(event.target.value)}>
        <option>small</option>
        <option>large</option>
      </select>
      <button type="button" onClick={() => setText('10')}>
        <span>Ten</span>
      </button>
      <button type="submit">Send</button>
      <output>{state}</output>
      <ol aria-label="Done">{done.join(', ')}</ol>
    </form>
  )
}

const shown = () => [screen.getByRole('status').textContent, screen.getByRole('list').textContent]

/** What the server has rendered, the input that comes before the page's scripts, and then these. */
async function meet(input: () => void): Promise<void> {
  const page = (
    <>
      <Page />
      <PageAlive />
    </>
  )
  const { innerHTML } = render(<Page />).container
  cleanup()
  const container = document.body.appendChild(document.createElement('div'))
  container.innerHTML = innerHTML
  keepEarlyInput(ALIVE_EVENT)
  input()
  render(page, { container, hydrate: true })
  for (let turn = 0; turn < 5; turn += 1) await act(() => new Promise(resolve => setTimeout(resolve)))
}

test('what was typed and chosen early is what the page knows', async () => {
  await meet(() => {
    fireEvent.input(screen.getByLabelText('Text'), { target: { value: '7' } })
    fireEvent.input(screen.getByLabelText('Text'), { target: { value: '70' } })
    screen.getByLabelText('Loud').click()
    fireEvent.input(screen.getByLabelText('Size'), { target: { value: 'large' } })
  })
  expect(shown()).toEqual(['70 true large', ''])
  expect(screen.getByLabelText('Text')).toHaveProperty('value', '70')
  expect(screen.getByLabelText('Loud')).toHaveProperty('checked', true)
})

test('what was pressed early is done in the order in which it was', async () => {
  await meet(() => {
    fireEvent.input(screen.getByLabelText('Text'), { target: { value: '7' } })
    screen.getByRole('button', { name: 'Send' }).click()
    screen.getByText('Ten').click()
    screen.getByRole('button', { name: 'Send' }).click()
    fireEvent.input(screen.getByLabelText('Text'), { target: { value: '8' } })
    screen.getByRole('button', { name: 'Send' }).click()
  })
  expect(shown()).toEqual(['8 false small', 'sent 7 false small, sent 10 false small, sent 8 false small'])
})

test('what is pressed once the page is alive is done once', async () => {
  await meet(() => {})
  act(() => screen.getByText('Ten').click())
  window.dispatchEvent(new Event(ALIVE_EVENT))
  expect(shown()).toEqual(['10 false small', ''])
})

test('what is pressed while the page comes alive is done once', async () => {
  const seen: string[] = []
  document.body.innerHTML = '<form><button>Send</button></form>'
  keepEarlyInput(ALIVE_EVENT)
  for (const type of ['click', 'submit']) {
    document.forms[0]?.addEventListener(type, event => {
      event.preventDefault()
      seen.push(type)
    })
  }
  screen.getByRole('button').click()
  document.forms[0]?.requestSubmit()
  expect(seen).toEqual([])
  window.dispatchEvent(new Event(ALIVE_EVENT))
  await new Promise(resolve => setTimeout(resolve))
  expect(seen).toEqual(['click'])
})

test.each([
  ['', true],
  [' action="/elsewhere"', false],
])('of a form with the attributes "%s", sending is prevented: %s', (attributes, isPrevented) => {
  document.body.innerHTML = `<form${attributes}><button>Send</button></form>`
  keepEarlyInput(ALIVE_EVENT)
  const sent = new Event('submit', { bubbles: true, cancelable: true })
  document.forms[0]?.dispatchEvent(sent)
  expect(sent.defaultPrevented).toBe(isPrevented)
  window.dispatchEvent(new Event(ALIVE_EVENT))
})

test('a form that the browser sends by itself is not sent again', async () => {
  document.body.innerHTML = '<form action="/elsewhere"><button>Send</button></form>'
  keepEarlyInput(ALIVE_EVENT)
  let pressCount = 0
  document.forms[0]?.addEventListener('click', event => {
    event.preventDefault()
    pressCount += 1
  })
  screen.getByRole('button').click()
  window.dispatchEvent(new Event(ALIVE_EVENT))
  await new Promise(resolve => setTimeout(resolve))
  expect(pressCount).toBe(1)
})
