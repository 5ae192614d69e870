/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { EMPTY_ANSWER } from '@/lib/exchange/client/answer'
import { ApiCallError } from '@/lib/http/client/call-api'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { creditIdStore } from '@/lib/local/credit-id'
import type { Message } from '@/lib/local/domain/conversation'
import { lastBalanceStore } from '@/lib/local/last-balance'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { fakeServer, renderInEnglish, stubDialogs, stubResizeObserver } from '@/test/support/render'
import { mockPage } from './testing'

const stop = jest.fn<(messageId: string) => void>()
const live = jest.fn<() => unknown>(() => null)
jest.unstable_mockModule('./page-exchanges', () => ({
  pageExchanges: { stop, resumeAll: async () => {}, lookAfter: async () => {}, onEnd: () => {} },
  liveAnswers: { subscribe: () => () => {}, get: live },
}))
/** The first step of asking, before the question is stored. */
const creditRequested = jest.fn<(_: unknown, fail: (reason?: Error) => void) => void>()
const ensureCredit = () => new Promise<never>(creditRequested)
jest.unstable_mockModule('@/components/credit/ensure-credit', () => ({ ensureCredit }))
mockPage()

const { Chat } = await import('./chat')
const { acceptsPrice } = await import('./asked-price')
const { draftStore, EMPTY_DRAFT, NEW_CHAT } = await import('./draft-store')
const { LazyShortcuts } = await import('@/components/shortcuts/lazy-shortcuts')
const { useNewChat } = await import('@/components/shell/use-new-chat')

const MODELS = ['One', 'Two'].map(name => ({
  id: name,
  name,
  architecture: { input_modalities: ['text'], output_modalities: ['text'] },
  pricing: { prompt: '0.000001', completion: '0.000002' },
  reasoning: name === 'One' ? { supported_efforts: ['low'] } : null,
}))

function NewChat() {
  return (
    <button type="button" onClick={useNewChat()}>
      New chat
    </button>
  )
}

/** Renders the chat with these messages in its conversation. */
async function show(...messages: Message[]) {
  await showBranched([], ...messages)
}

async function showBranched(branches: Message[], ...messages: Message[]) {
  const at = new Date().toISOString()
  const id = crypto.randomUUID()
  if (messages.length > 0) conversationStore.saveConversation({ id, created_at: at, messages, branches })
  selectedConversationStore.select(messages.length > 0 ? id : null)
  await act(
    async () =>
      void renderInEnglish(
        <main id="main" tabIndex={-1}>
          <NewChat />
          <Chat appName="Tuppence" siteTitle="Tuppence: pay as you go" />
          <LazyShortcuts />
        </main>,
      ),
  )
}

const question = (id: string): Message => ({ id, role: 'user', content: `Question ${id}` })
const answer = (id: string, status: Message['status'] = 'completed'): Message => ({
  id,
  role: 'assistant',
  content: 'So.',
  status,
})

const box = () => screen.getByRole('textbox', { name: 'Message' })
const click = (element: Element) => act(async () => void fireEvent.click(element))
const expectFocus = (find: () => Element) => waitFor(() => expect(document.activeElement).toBe(find()))

beforeEach(() => {
  stubDialogs()
  stop.mockClear()
  history.replaceState(null, '', '/')
  Element.prototype.scrollIntoView = jest.fn()
  fakeServer(({ path }) => ({ json: { balance: 1, data: path.startsWith('/v1/models') ? MODELS : [] } }))
  stubResizeObserver()
})
afterEach(() => {
  cleanup()
  live.mockReturnValue(null)
  Reflect.deleteProperty(window, 'matchMedia')
})

test('the message box gets the focus on opening, except on a touch screen', async () => {
  await show()
  await expectFocus(box)
  cleanup()
  Reflect.set(window, 'matchMedia', () => ({ matches: true, addEventListener: () => {} }))
  await show()
  await act(async () => void (await new Promise(requestAnimationFrame)))
  expect(document.activeElement).toBe(document.body)
})

test('a suggestion, a chosen model and a new chat each move the focus to the message box', async () => {
  await show(question('q'), answer('a'))
  act(() => screen.getByRole('button', { name: 'New chat' }).focus())
  await click(screen.getByRole('button', { name: 'New chat' }))
  await expectFocus(box)
  const [suggestion] = screen.getAllByRole('listitem')
  const button = suggestion?.querySelector('button')
  if (!button) throw new Error('no suggestion')
  act(() => button.focus())
  await click(button)
  await expectFocus(box)
  const [picker] = screen.getAllByRole('combobox', { name: 'Model' })
  if (!picker) throw new Error('no picker')
  act(() => picker.focus())
  await click(picker)
  await click(await screen.findByRole('option', { name: /^Two/ }))
  await expectFocus(box)
})

test('a chosen model that is no longer in the list is named beside the one that answers instead', async () => {
  const at = new Date().toISOString()
  const messages = [question('q'), answer('a')]
  conversationStore.saveConversation({ id: 'of-gone', created_at: at, model: 'host/gone', messages })
  await show()
  act(() => selectedConversationStore.select('of-gone'))
  const told = await screen.findByText(/^host\/gone is not offered here at the moment\. (One|Two) answers/)
  const [picker] = screen.getAllByRole('combobox', { name: 'Model' })
  if (!picker) throw new Error('no picker')
  await click(picker)
  // The one that stands in may be chosen, too.
  await click(await screen.findByRole('option', { selected: true }))
  expect(told.isConnected).toBe(false)
  expect(conversationStore.get('of-gone')?.model).toMatch(/^(One|Two)$/)
})

test('an answer whose end was not kept, as by an earlier version, counts as whole', async () => {
  const creditId = crypto.randomUUID()
  creditIdStore.write(creditId)
  lastBalanceStore.note(creditId, 1, 0)
  await show(question('q'), { id: 'a', role: 'assistant', content: 'So.' })
  await screen.findByRole('button', { name: 'Answer again' })
  expect(screen.queryByRole('button', { name: /continue/i })).toBeNull()
})

test('the amount that is missing for the chosen model is shown beside Send', async () => {
  const creditId = crypto.randomUUID()
  creditIdStore.write(creditId)
  for (const { balanceUsd, isTooLittle } of [
    { balanceUsd: 0.00001, isTooLittle: true },
    { balanceUsd: 1, isTooLittle: false },
  ]) {
    lastBalanceStore.note(creditId, balanceUsd, 0)
    await show(question('q'), answer('a'))
    await act(async () => void fireEvent.change(box(), { target: { value: 'And then?' } }))
    await screen.findByText(isTooLittle ? /short$/ : /^at most/)
    cleanup()
  }
})

test('a balance that is too low for a message is no news of another one, nor of another model', async () => {
  creditIdStore.remove()
  await show(question('q'), answer('a'))
  const write = (value: string) => act(async () => void fireEvent.change(box(), { target: { value } }))
  const send = async () => click(await screen.findByRole('button', { name: 'Send' }))
  const isTold = () => screen.queryByText(/^Your balance is too low/) !== null
  await write('A long message')
  await send()
  expect(isTold()).toBe(true)
  await write('Short')
  expect(isTold()).toBe(false)
  await send()
  expect(isTold()).toBe(true)
  const [picker] = screen.getAllByRole('combobox', { name: 'Model' })
  if (!picker) throw new Error('no picker')
  await click(picker)
  await click(await screen.findByRole('option', { selected: false }))
  expect(isTold()).toBe(false)
  act(() => draftStore.set(selectedConversationStore.selectedId() ?? NEW_CHAT, EMPTY_DRAFT))
})

test.each([
  { name: 'Send', messages: [] },
  { name: 'Send', messages: [question('q'), answer('a')] },
  { name: 'Continue', messages: [question('q'), answer('a', 'stopped')] },
])('$name pressed twice asks once, and can be pressed again after a failure', async ({ name, messages }) => {
  creditRequested.mockClear()
  const creditId = crypto.randomUUID()
  creditIdStore.write(creditId)
  lastBalanceStore.note(creditId, 1, 0)
  await show(...messages)
  fireEvent.change(box(), { target: { value: 'How often?' } })
  const send = screen.getByRole<HTMLButtonElement>('button', { name: 'Send' })
  await waitFor(() => expect(send.disabled).toBe(false))
  const button = await screen.findByRole('button', { name: new RegExp(`^${name}`) })
  await click(button)
  await click(button)
  await click(send)
  await waitFor(() => expect(creditRequested).toHaveBeenCalled())
  expect(send.getAttribute('aria-disabled')).toBe('true')
  expect(creditRequested).toHaveBeenCalledTimes(1)
  await act(async () => creditRequested.mock.calls[0]?.[1]())
  await click(button)
  await waitFor(() => expect(creditRequested).toHaveBeenCalledTimes(2))
  act(() => draftStore.set(selectedConversationStore.selectedId() ?? NEW_CHAT, EMPTY_DRAFT))
})

test.each([
  { reason: new ApiCallError('rate_limited'), sentence: /^That was a lot at once/ },
  { reason: new ApiCallError('storage_full'), sentence: /^This browser’s storage is full/ },
  { reason: new TypeError('Failed to fetch a module'), sentence: /^A part of this page could not be loaded/ },
])('what kept a question from being asked is said: $sentence', async ({ reason, sentence }) => {
  creditRequested.mockImplementationOnce((_, fail) => fail(reason))
  const creditId = crypto.randomUUID()
  creditIdStore.write(creditId)
  lastBalanceStore.note(creditId, 1, 0)
  await show(question('q'), answer('a'))
  fireEvent.change(box(), { target: { value: 'And then?' } })
  const send = screen.getByRole<HTMLButtonElement>('button', { name: 'Send' })
  await waitFor(() => expect(send.disabled).toBe(false))
  await click(send)
  await waitFor(() => expect(noticeStore.getSnapshot().text).toMatch(sentence))
  noticeStore.hide()
  act(() => draftStore.set(selectedConversationStore.selectedId() ?? NEW_CHAT, EMPTY_DRAFT))
})

test('Send stays disabled for a picture without text if the model accepts no pictures', async () => {
  await show()
  const send = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Send' })
  act(() => draftStore.set(NEW_CHAT, { ...EMPTY_DRAFT, pictureUrls: ['image-store:1'] }))
  expect(send().disabled).toBe(true)
  fireEvent.change(box(), { target: { value: 'What is this?' } })
  await waitFor(() => expect(send().disabled).toBe(false))
  act(() => draftStore.set(NEW_CHAT, EMPTY_DRAFT))
})

test('Stop ends the answer, and so does Escape anywhere in the chat', async () => {
  await show(question('q'), answer('a', 'streaming'))
  await click(screen.getByRole('button', { name: 'Stop' }))
  expect(stop.mock.calls).toEqual([['a']])
  await expectFocus(box)
  fireEvent.keyDown(await screen.findByRole('region', { name: 'Messages' }), { key: 'Escape' })
  await waitFor(() => expect(stop).toHaveBeenCalledTimes(2))
})

test('the second click of a double click on Send, in whose place Stop appears, stops nothing', async () => {
  await show(question('q'), answer('a', 'streaming'))
  await act(async () => void fireEvent.click(screen.getByRole('button', { name: 'Stop' }), { detail: 2 }))
  expect(stop).not.toHaveBeenCalled()
})

test('Stop shows its cost in advance, and a message written meanwhile has its own Send button', async () => {
  creditIdStore.write('1a2b3c4d-2222-4333-8444-555555555555')
  await show(question('q'), { ...answer('a', 'streaming'), model: 'Two', content: 'x'.repeat(4_000) })
  const hint = () => screen.getByRole('button', { name: 'Stop' }).title
  await waitFor(() => expect(hint()).toMatch(/charged, about\s0\.1\d\scents\. Thinking/))
  expect(screen.queryByRole('button', { name: 'Send' })).toBeNull()
  await act(async () => void fireEvent.change(box(), { target: { value: 'And then?' } }))
  expect(screen.getByRole('button', { name: 'Send' }).title).toContain('when this answer has ended')
  await click(screen.getByRole('button', { name: 'Send' }))
  const queued = await screen.findByRole('region', { name: /One message follows/ })
  expect(queued.textContent).toContain('And then?')
  expect(queued.textContent).toContain('≈ ')
  await click(screen.getByRole('button', { name: 'Stop' }))
  await screen.findByRole('region', { name: /You stopped the answer/ })
  await expectFocus(box)
  const drop = screen.getByRole('button', { name: 'Drop this message' })
  drop.focus()
  await click(drop)
  expect(screen.queryByText('And then?')).toBeNull()
  await expectFocus(box)
})

test('a price to confirm is shown beside the message box, with the focus on its button', async () => {
  await show()
  // The initial focus, with nothing else focused before.
  await expectFocus(box)
  await act(async () => void acceptsPrice(0.5))
  const yes = await screen.findByRole('button', { name: 'Yes, go ahead' })
  await expectFocus(() => yes)
  await click(screen.getByRole('button', { name: 'Cancel' }))
  expect(screen.queryByText(/Go ahead\?/)).toBeNull()
})

test('Escape does not stop the answer during text composition or in an open dialog', async () => {
  await show(question('q'), answer('a', 'streaming'))
  // The code for shortcuts comes with the first key.
  fireEvent.keyDown(await screen.findByRole('region', { name: 'Messages' }), { key: 'Escape' })
  await waitFor(() => expect(stop).toHaveBeenCalledTimes(1))
  fireEvent.keyDown(box(), { key: 'Escape', isComposing: true })
  fireEvent.keyDown(box(), { key: 'Escape', keyCode: 229 })
  await click(screen.getAllByRole('combobox', { name: 'Model' })[0] ?? document.body)
  fireEvent.keyDown(screen.getByRole('combobox', { name: /^Search by name/ }), { key: 'Escape' })
  expect(stop).toHaveBeenCalledTimes(1)
})

test('deleting from a message on focuses the message box; undoing focuses the message', async () => {
  await show(question('q'), answer('a'), question('q2'), answer('a2'))
  const menus = await screen.findAllByRole('button', { name: 'More' })
  await click(menus.at(-2) ?? document.body)
  await click(screen.getByRole('menuitem', { name: 'Delete from here on' }))
  expect(screen.queryByText('Question q2')).toBeNull()
  await expectFocus(box)
  await act(async () => noticeStore.getSnapshot().action?.run())
  await expectFocus(() => screen.getAllByRole('article', { name: 'Your message' })[1] ?? document.body)
})

test('the page title is that of the conversation, even if the server’s title arrives later', async () => {
  await show(question('q'), answer('a'))
  expect(document.title).toBe('Question q · Tuppence')
  document.title = 'Tuppence: pay as you go'
  await waitFor(() => expect(document.title).toBe('Question q · Tuppence'))
  await click(screen.getByRole('button', { name: 'New chat' }))
  await waitFor(() => expect(document.title).toBe('Tuppence: pay as you go'))
})

test('switching versions keeps the focus on the version buttons, and names the version shown', async () => {
  await showBranched([{ ...answer('a'), parent: 'q' }], question('q'), { ...answer('a2'), parent: 'q' })
  const versions = await screen.findAllByRole('button', { name: 'Previous version' })
  const previous = versions[0]
  if (!previous) throw new Error('no versions')
  act(() => previous.focus())
  await click(previous)
  // It was the first version, so only the button for the next one is left.
  await expectFocus(() => screen.getByRole('button', { name: 'Next version' }))
  const turned = screen.getByRole('group', { name: 'Version 1 of 2' })
  expect(turned.contains(document.activeElement)).toBe(true)
})

test.each([
  ['in another tab', null],
  ['in this tab, after it was fetched again', { kind: 'chat', answer: EMPTY_ANSWER, phase: 'streaming' }],
])(
  'a running answer shows its price so far, reasoning included, while it is followed %s',
  async (_where, now) => {
    live.mockReturnValue(now)
    const written = { content: 'word '.repeat(1_000), reasoning: 'word '.repeat(1_000), model: 'Two' }
    await show(question('q'), { ...answer('a', 'streaming'), ...written })
    expect((await screen.findByText(/so far$/)).textContent).toBe('≈ 0.41 cents so far')
  },
)

test.each([
  ['a model that thinks', 'One'],
  ['any other, whose host may write on', 'Two'],
])('Stop warns that it may come too late, for %s', async (_, model) => {
  await show(question('q'), { ...answer('a', 'streaming'), model })
  await waitFor(() => expect(screen.getByRole('button', { name: 'Stop' }).title).toContain('too late'))
})
