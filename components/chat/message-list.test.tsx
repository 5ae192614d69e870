/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { catchError } from 'next/error'
import { NextIntlClientProvider } from 'next-intl'
import type { ReactNode } from 'react'
import { PersistentParts } from '@/components/shell/persistent-parts'
import { MESSAGE_BOX_ID } from '@/components/ui/focus'
import type { Conversation, Message } from '@/lib/local/domain/conversation'
import { en } from '@/test/support/messages'
import { stubResizeObserver } from '@/test/support/render'
import { MessageList } from './message-list'
import { liveAnswers } from './page-exchanges'
import { keepReadingPlace } from './reading-places'
import { GROUP_TURN_COUNT } from './shown-turns'
import { NOTHING_NEXT } from './use-next-message'

const conversationOf = (messages: Message[], id = 'c'): Conversation => ({
  id,
  created_at: '2026-11-20T00:00:00.000Z',
  messages,
})

const list = (...messages: Message[]) => shown(conversationOf(messages))

const shown = (conversation: Conversation | null) => inDocument(listOf(conversation))

const listOf = (conversation: Conversation | null) => (
  <MessageList
    conversation={conversation}
    models={[]}
    next={NOTHING_NEXT}
    model={null}
    ask={async () => undefined}
  />
)

const inDocument = (page: ReactNode) => (
  <NextIntlClientProvider locale="en" messages={en} timeZone="UTC">
    {page}
    <PersistentParts />
  </NextIntlClientProvider>
)

const question = (content: string, id = 'q'): Message => ({ id, role: 'user', content })
const answer = (content: string, status: Message['status'], id = 'a'): Message => ({
  id,
  role: 'assistant',
  content,
  status,
})
/** The texts of the live regions. Answers have some of their own, so the list's are the last. */
const regions = () => [...document.querySelectorAll('[aria-live="polite"]')].map(one => one.textContent)
const announced = () => regions().at(-2)
const announcedPrice = () => regions().at(-1)?.trim()
/** The announcement inside an answer in progress; screen readers hold back those in a busy element. */
const phaseAnnouncement = () =>
  document.querySelector('article:not([aria-busy="true"]) [aria-live]')?.textContent ?? ''

beforeEach(stubResizeObserver)
afterEach(cleanup)

test.each([
  [
    'words, not Markdown',
    '## So\n\nIt is **two**:\n\n- [a](https://a.example)',
    'Answer: So.\nIt is two:\na.',
  ],
  [
    'the beginning of a long text, with a note that there is more',
    `${'One, two. '.repeat(149)}Then ${'on and on '.repeat(90)}.`,
    `Answer: ${'One, two. '.repeat(149).trim()} … The rest is in the message.`,
  ],
])('a finished answer is announced as %s', async (_, text, expected) => {
  const { rerender } = render(list(question('Why?'), answer('', 'streaming')))
  rerender(list(question('Why?'), answer(text, 'completed')))
  await waitFor(() => expect(announced()).toBe(expected))
})

test('a finished answer is announced in its own language, and what is ours around it in that of the page', async () => {
  const { rerender } = render(list(question('Warum?'), answer('', 'streaming')))
  const words = 'Weil das Wasser in der Leitung nicht wärmer ist als die Luft, die von außen kommt.'
  rerender(list(question('Warum?'), answer(words, 'completed')))
  await waitFor(() => expect(announced()).toBe(`Answer: ${words}`))
  const [said] = [...document.querySelectorAll('[aria-live="polite"] [lang]')]
  expect([said?.getAttribute('lang'), said?.textContent]).toEqual(['de', words])
})

test('the phases of a running answer are announced, each one only once', async () => {
  render(list(question('Why?'), answer('', 'streaming')))
  act(() => liveAnswers.begin('a', 'chat'))
  // A region that is rendered together with its text, as for a chat's first message, is not announced.
  expect(announced()).toBe('')
  await waitFor(() => expect(announced()).toBe('The model is answering…'))
  for (const [phase, words, said] of [
    ['offline', en.chat.offline, ''],
    ['connecting', '', 'The model is answering…'],
    ['streaming', '', 'The answer has begun.'],
    ['reconnecting', en.chat.reconnecting, ''],
  ] as const) {
    act(() => liveAnswers.setPhase('a', phase))
    await waitFor(() => expect(announced()).toBe(said))
    expect(phaseAnnouncement()).toBe(words)
  }
  expect(screen.getAllByText(en.chat.reconnecting)).toHaveLength(1)
  act(() => liveAnswers.end('a'))
})

test('a stopped answer is announced as stopped', async () => {
  const { rerender } = render(list(question('Why?'), answer('', 'streaming')))
  rerender(list(question('Why?'), answer('Because **of', 'stopped')))
  await waitFor(() => expect(announced()).toBe('Stopped.'))
})

test.each([
  ['stopped', undefined, 'STRONG'],
  ['failed', undefined, 'STRONG'],
  ['completed', 'length', 'STRONG'],
  ['completed', 'stop', 'P'],
  [undefined, undefined, 'P'],
] as const)(
  'an answer that ended so (%s, %s) within bold words shows them in %s',
  async (status, reason, tag) => {
    const last = { ...answer('Because **of', status), ...(reason && { finish_reason: reason }) }
    render(list(question('Why?'), last))
    expect((await screen.findByText(/of$/)).tagName).toBe(tag)
  },
)

const receipt = (cost_usd: string) => ({
  cost_usd,
  input_token_count: 1,
  output_token_count: 1,
  estimated: false,
})

test.each([
  ['completed', '0.0021', 'Price: 0.21 cents.'],
  ['completed', '0', 'Price: $0.00.'],
  ['stopped', '0.0021', 'Price: 0.21 cents.'],
  ['stopped', '0', '$0.00 — you were not charged'],
  ['failed', '0', '$0.00 — you were not charged'],
] as const)(
  'the price of a %s answer is announced as soon as it is known: %s',
  async (status, cost, words) => {
    const { rerender } = render(list(question('Why?'), answer('', 'streaming')))
    await waitFor(() => expect(announced()).toBe('The model is answering…'))
    rerender(list(question('Why?'), answer('So.', status)))
    expect(announcedPrice()).toBe('')
    const before = announced()
    rerender(list(question('Why?'), { ...answer('So.', status), receipt: receipt(cost) }))
    await waitFor(() => expect(announcedPrice()).toBe(words))
    // Nothing is announced twice.
    expect(announced()).toBe(before)
  },
)

test('the price is announced after the answer, though both are known at once', async () => {
  const { rerender } = render(list(question('Why?'), answer('', 'streaming')))
  await waitFor(() => expect(announced()).toBe('The model is answering…'))
  rerender(list(question('Why?'), { ...answer('So.', 'completed'), receipt: receipt('0.0021') }))
  expect([announced(), announcedPrice()]).toEqual(['Answer: So.', ''])
  await waitFor(() => expect([announced(), announcedPrice()]).toEqual(['Answer: So.', 'Price: 0.21 cents.']))
})

test('the price of a stopped answer, which may be known first, is announced after it', () => {
  jest.useFakeTimers()
  try {
    liveAnswers.begin('a', 'chat')
    const { rerender } = render(list(question('Why?'), answer('', 'streaming')))
    rerender(list(question('Why?'), answer('So.', 'stopped')))
    rerender(list(question('Why?'), { ...answer('So.', 'stopped'), receipt: receipt('0.0021') }))
    act(() => jest.advanceTimersByTime(500))
    expect([announced(), announcedPrice()]).toEqual(['', ''])
    act(() => liveAnswers.end('a'))
    expect([announced(), announcedPrice()]).toEqual(['Stopped.', ''])
    act(() => jest.advanceTimersByTime(500))
    expect([announced(), announcedPrice()]).toEqual(['Stopped.', 'Price: 0.21 cents.'])
  } finally {
    jest.useRealTimers()
  }
})

test('what was announced is removed, so that nobody hears the answer twice', () => {
  jest.useFakeTimers()
  try {
    const { rerender } = render(list(question('Why?'), answer('', 'streaming')))
    act(() => jest.advanceTimersByTime(1_000))
    expect(announced()).toBe('The model is answering…')
    rerender(list(question('Why?'), answer('So.', 'stopped')))
    act(() => jest.advanceTimersByTime(60_000))
    expect(announced()).toBe('Stopped.')
    rerender(list(question('Why?'), { ...answer('So.', 'stopped'), receipt: receipt('0.0021') }))
    act(() => jest.advanceTimersByTime(9_000))
    expect(announcedPrice()).toBe('Price: 0.21 cents.')
    act(() => jest.advanceTimersByTime(2_000))
    expect([announced(), announcedPrice()]).toEqual(['', ''])
  } finally {
    jest.useRealTimers()
  }
})

test('the reason of a cut answer is announced, with the price of all its parts', async () => {
  const begun: Message = {
    ...answer('One', 'completed', 'a0'),
    finish_reason: 'length',
    receipt: receipt('0.002'),
  }
  const rest: Message = { ...answer('', 'streaming'), continues: true }
  const { rerender } = render(list(question('Why?'), begun, rest))
  const cut: Message = { ...rest, status: 'completed', finish_reason: 'length', receipt: receipt('0.001') }
  rerender(list(question('Why?'), begun, cut))
  await waitFor(() => expect(announcedPrice()).toBe('Paused at 0.3 cents. Price: 0.3 cents.'))
  rerender(list(question('Why?'), begun, { ...cut, finish_reason: 'content_filter' }))
  expect(announcedPrice()).toBe(`${en.chat.filtered} Price: 0.3 cents.`)
})

test('the price of an answer from before is not announced', () => {
  render(list(question('Why?'), { ...answer('So.', 'completed'), receipt: receipt('0.0021') }))
  expect(announcedPrice()).toBe('')
})

test('a stop is announced while it waits for its confirmation, but not at once', async () => {
  liveAnswers.begin('a', 'chat')
  const { rerender } = render(list(question('Why?'), answer('', 'streaming')))
  act(() => liveAnswers.setPhase('a', 'stopping'))
  rerender(list(question('Why?'), answer('Because', 'stopped')))
  expect(announced()).toBe('')
  await waitFor(() => expect(announced()).toBe(en.chat.stopping))
  act(() => liveAnswers.end('a'))
  await waitFor(() => expect(announced()).toBe('Stopped.'))
})

test('an answer that could not be stopped any more is announced as still arriving', async () => {
  liveAnswers.begin('a', 'chat')
  const { rerender } = render(list(question('Why?'), answer('', 'streaming')))
  rerender(list(question('Why?'), answer('Because', 'stopped')))
  expect(announced()).toBe('')
  act(() => liveAnswers.setPhase('a', 'finishing'))
  await waitFor(() => expect(phaseAnnouncement()).toBe(en.chat.answeredAnyway))
  expect(announced()).toBe('')
  act(() => liveAnswers.end('a'))
  await waitFor(() => expect(announced()).toBe('Stopped.'))
})

test('a failure is announced when it happens, not each time the chat is opened', () => {
  const failed: Message = { ...answer('', 'failed'), error_code: 'network' }
  const { rerender } = render(list(question('Why?'), answer('', 'streaming')))
  rerender(list(question('Why?'), failed))
  const words = screen.getByRole('alert').textContent ?? ''
  cleanup()
  render(list(question('Why?'), failed))
  expect(screen.getByText(words)).toBeTruthy()
  expect(screen.queryByRole('alert')).toBeNull()
})

test('an answer that is restored is not announced again', async () => {
  const old = [question('Old?', 'q0'), answer('Old.', 'completed', 'a0')]
  const { rerender } = render(list(...old, question('Why?'), answer('', 'streaming')))
  rerender(list(...old, question('Why?'), answer('So.', 'completed')))
  await waitFor(() => expect(announced()).toBe('Answer: So.'))
  rerender(list(...old))
  expect(announced()).toBe('')
  rerender(list(...old, question('Why?'), answer('So.', 'completed')))
  expect(announced()).toBe('')
})

test('each exchange has a heading, above the headings of its answer', () => {
  render(
    list(
      question('First\nquestion'),
      answer('# One\n\n### Two', 'completed'),
      question('Second', 'q2'),
      answer('## Three', 'completed', 'a2'),
    ),
  )
  const headings = screen.getAllByRole('heading').map(({ tagName, textContent }) => [tagName, textContent])
  expect(headings).toEqual([
    ['H2', 'First question'],
    ['H3', 'One'],
    ['H4', 'Two'],
    ['H2', 'Second'],
    ['H3', 'Three'],
  ])
})

test('a task checkbox is named after its task', () => {
  render(list(answer('- [x] Buy **milk**\n- [ ] Go home\n  - by foot', 'completed')))
  expect(screen.getByRole('checkbox', { name: 'Buy milk' })).toHaveProperty('checked', true)
  expect(screen.getByRole('checkbox', { name: 'Go home' })).toHaveProperty('checked', false)
})

test('each block has the direction of its words, and code is always left to right', () => {
  render(list(question('ما هو؟'), answer('# عنوان\n\nPlain.\n\n- شيء\n\n```\ncode\n```', 'completed')))
  const article = screen.getByRole('article', { name: 'Assistant message' })
  const blocks = [...article.querySelectorAll<HTMLElement>('h3, p, ul, pre')]
  expect(blocks.map(({ tagName, dir }) => [tagName, dir])).toEqual([
    ['H3', 'auto'],
    ['P', 'auto'],
    ['UL', 'auto'],
    ['PRE', 'ltr'],
  ])
  expect(screen.getByText('ما هو؟', { selector: 'p' }).dir).toBe('auto')
})

test('a long conversation shows its end at once, and the rest soon after', async () => {
  const messages = Array.from({ length: 25 }, (_, index) => question(`Question ${index}.`, `q${index}`))
  render(list(...messages))
  expect(screen.getAllByRole('article').length).toBeLessThan(20)
  expect(screen.getByText('Question 24.', { selector: 'p' })).toBeTruthy()
  await waitFor(() => expect(articles()).toHaveLength(25))
  expect(screen.getAllByRole('article')[0]?.textContent).toContain('Question 0.')
})

test('a long conversation opens where it was left, and can jump to its end at once', async () => {
  const messages = Array.from({ length: 60 }, (_, index) => question(`Question ${index}.`, `q${index}`))
  keepReadingPlace('c', { messageId: 'q20', top: 0 })
  try {
    render(
      <>
        {list(...messages)}
        <textarea id={MESSAGE_BOX_ID} />
      </>,
    )
    const shownTexts = () => screen.getAllByRole('article').map(({ textContent }) => textContent)
    expect(shownTexts()).toContain('Question 20.')
    expect(shownTexts().length).toBeLessThan(20)
    const jump = screen.getByRole('button', { name: en.chat.jumpToLatest })
    jump.focus()
    fireEvent.click(jump)
    expect(shownTexts().slice(-2)).toEqual(['Question 58.', 'Question 59.'])
    // The button goes, and the focus would be lost with it.
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('textbox')))
    await waitFor(() => expect(shownTexts()).toHaveLength(60))
  } finally {
    keepReadingPlace('c', null)
  }
})

test.each([20, 21, 22, 23, 24, 25])(
  'a conversation that opens at %i starts with a whole group, since a growing group would move',
  index => {
    const messages = Array.from({ length: 60 }, (_, at) => question(`Question ${at}.`, `q${at}`))
    keepReadingPlace('c', { messageId: `q${index}`, top: 0 })
    try {
      render(list(...messages))
      const first = Number(articles()[0]?.slice(1))
      expect([first % GROUP_TURN_COUNT, first < index - 1]).toEqual([0, true])
    } finally {
      keepReadingPlace('c', null)
    }
  },
)

test('a new message appears at once in a conversation that opened further up', () => {
  const messages = Array.from({ length: 60 }, (_, index) => question(`Question ${index}.`, `q${index}`))
  keepReadingPlace('c', { messageId: 'q20', top: 0 })
  try {
    const { rerender } = render(list(...messages))
    rerender(list(...messages, question('And?', 'new')))
    expect(screen.getAllByRole('article').at(-1)?.textContent).toContain('And?')
  } finally {
    keepReadingPlace('c', null)
  }
})

test('a long conversation is printed completely', () => {
  render(list(...Array.from({ length: 25 }, (_, index) => question(`Question ${index}.`, `q${index}`))))
  fireEvent(window, new Event('beforeprint'))
  expect(screen.getAllByRole('article')).toHaveLength(25)
})

test('a question shows its time even while its actions are not available', () => {
  render(list({ ...question('What is it?'), created_at: '2026-11-20T09:00:00.000Z' }))
  expect(screen.getByRole('article', { name: 'Your message' }).querySelector('time')).not.toBeNull()
})

/** A conversation that is too long for any screen. */
const longConversation = () =>
  conversationOf(
    Array.from({ length: 60 }, (_, index) =>
      answer(`Answer ${index}.\n\n\`\`\`\nCode\n\`\`\``, 'completed', `a${index}`),
    ),
    'long',
  )

test('the actions of an answer and its code appear near the screen, and stay', async () => {
  const groups = new Set<Element>()
  let tell: (entries: { target: Element; isIntersecting: boolean }[]) => void = () => {}
  class Observer {
    observe = (group: Element) => void groups.add(group)
    disconnect = () => groups.clear()
    constructor(onChange: typeof tell) {
      tell = onChange
    }
  }
  Reflect.set(globalThis, 'IntersectionObserver', Observer)
  try {
    render(shown(longConversation()))
    fireEvent(window, new Event('beforeprint'))
    const buttonCounts = () =>
      ['Copy answer', 'Copy code'].map(name => screen.queryAllByRole('button', { name }).length)
    expect(buttonCounts()).toEqual([0, 0])
    const group = screen.getByText('Answer 0.', { selector: 'p' }).closest('[data-turns]')
    if (!group) throw new Error('no group')
    expect(groups.has(group)).toBe(true)
    for (const isIntersecting of [true, false]) {
      await act(async () => tell([{ target: group, isIntersecting }]))
      const count = group.querySelectorAll('article').length
      expect(buttonCounts()).toEqual([count, count])
    }
  } finally {
    Reflect.deleteProperty(globalThis, 'IntersectionObserver')
  }
})

const articles = () => [...document.querySelectorAll('article')].map(({ dataset }) => dataset.message)

test.each([
  ['another conversation', conversationOf([question('Short.')])],
  ['a new chat', null],
])('a long conversation is replaced by %s at once, and removed bit by bit', async (_, next) => {
  const { rerender } = render(shown(longConversation()))
  fireEvent(window, new Event('beforeprint'))
  const last = screen.getByText('Answer 59.', { selector: 'p' })
  const readAloud = screen.getByText('Answer 3.', { selector: 'p' })
  readAloud.after(document.createElement('progress'))
  rerender(shown(next))
  const expected = next ? ['q'] : []
  expect(screen.queryAllByRole('article').map(({ dataset }) => dataset.message)).toEqual(expected)
  expect(screen.queryAllByRole('region', { name: en.chat.messages })).toHaveLength(expected.length)
  // The new conversation can be used at once, and reading the old one aloud stops.
  expect(last.isConnected).toBe(true)
  expect(readAloud.isConnected).toBe(false)
  await waitFor(() => expect(document.querySelector('[inert]')).toBeNull())
  expect(articles()).toEqual(expected)
})

test('a long conversation disappears with its page, and is removed bit by bit even if it is opened again', async () => {
  const { rerender } = render(shown(longConversation()))
  fireEvent(window, new Event('beforeprint'))
  const group = screen.getByText('Answer 59.', { selector: 'p' }).closest('[data-turns]')
  rerender(inDocument(<p>Prices</p>))
  expect(document.body.textContent).toBe('Prices')
  rerender(shown(longConversation()))
  expect(articles()).toContain('a59')
  expect(new Set(articles()).size).toBe(articles().length)
  expect(group?.parentElement).not.toBeNull()
  await waitFor(() => expect(group?.parentElement).toBeNull())
  expect(articles()).toContain('a59')
})

test('a conversation that cannot be rendered shows an error only on its own page', () => {
  const Page = catchError(() => 'Sorry')
  const logged = jest.spyOn(console, 'error').mockImplementation(() => {})
  const broken = { ...answer('', 'completed'), content: JSON.parse('0') }
  const { rerender } = render(inDocument(<Page>{listOf(conversationOf([broken]))}</Page>))
  expect(document.body.textContent).toBe('Sorry')
  rerender(list(question('Why?')))
  expect(screen.getByRole('article').textContent).toBe('Why?')
  logged.mockRestore()
})

test('a long conversation that is opened again at once is shown once, where it was left', () => {
  const long = longConversation()
  const { rerender } = render(shown(long))
  fireEvent(window, new Event('beforeprint'))
  rerender(shown(null))
  rerender(shown(long))
  expect(new Set(articles()).size).toBe(articles().length)
  expect(screen.getByText('Answer 59.', { selector: 'p' })).toBeTruthy()
})

test('deleted messages disappear at once, and restored ones reuse their elements', async () => {
  const long = longConversation()
  const { rerender } = render(shown(long))
  fireEvent(window, new Event('beforeprint'))
  const deleted = screen.getByText('Answer 20.', { selector: 'p' })
  const shorter = { ...long, messages: long.messages.slice(0, 13) }
  const names = () =>
    [...document.querySelectorAll<HTMLElement>('article:not([aria-hidden] *)')].map(
      ({ dataset }) => dataset.message,
    )
  rerender(shown(shorter))
  expect(names()).toHaveLength(13)
  expect(deleted.isConnected).toBe(true)
  rerender(shown(long))
  expect(names().slice(12, 21)).toContain('a20')
  expect(screen.getByText('Answer 20.', { selector: 'p' })).toBe(deleted)
  await waitFor(() => expect(names()).toEqual(long.messages.map(({ id }) => id)))
  rerender(shown(shorter))
  await waitFor(() => expect(articles()).toHaveLength(13))
})
