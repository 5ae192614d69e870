/** @jest-environment jsdom */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { creditIdStore } from '@/lib/local/credit-id'
import type { Conversation, Message } from '@/lib/local/domain/conversation'
import { findTurn, replaceMessage } from '@/lib/local/domain/turns'
import { writeSpendingLimits } from '@/lib/local/spending-limits'
import { createUuid } from '@/lib/local/uuid'
import { fakeServer, renderInEnglish, stubDialogs, stubResizeObserver } from '@/test/support/render'
import { mockPage } from '../testing'

const stop = jest.fn<(messageId: string) => void>()
const ask = jest.fn(async (_conversation: Conversation, _questionId: string, _answerId: string) => null)
jest.unstable_mockModule('../page-exchanges', () => ({
  pageExchanges: { ask, stop, resumeAll: async () => {}, lookAfter: async () => {}, onEnd: () => {} },
  liveAnswers: { subscribe: () => () => {}, get: () => null },
}))
mockPage()

const { Chat } = await import('../chat')

const MODELS = [
  ['Penny', '0.000001'],
  ['Quarter', '0.00001'],
  ['Dollar', '0.0001'],
  ['Euro', '0.0001'],
  ['Franc', '0.0001'],
].map(([name, price]) => ({
  id: name,
  name,
  type: 'chat',
  architecture: { input_modalities: ['text'], output_modalities: ['text'] },
  pricing: { prompt: '0', completion: price },
}))
const PAINTER = {
  id: 'Painter',
  name: 'Painter',
  type: 'image',
  architecture: { input_modalities: ['text'], output_modalities: ['image'] },
  pricing: { prompt: '0', completion: '0', image: '0.01' },
}
let models: object[] = MODELS

const RECEIPT = { cost_usd: '0.01', input_token_count: 1, output_token_count: 1, estimated: false }

const answer = (id: string, model: string, rest: Partial<Message> = {}): Message => ({
  id,
  role: 'assistant',
  content: `Words of ${model}.`,
  model,
  comparison: 'c',
  parent: 'q',
  created_at: `2026-11-20T00:00:0${id.at(-1)}.000Z`,
  status: 'completed',
  receipt: RECEIPT,
  ...rest,
})

async function showChat() {
  await act(async () => void renderInEnglish(<Chat appName="Tuppence" siteTitle="Tuppence" />))
}

/** Renders a question with these answers side by side. */
async function showCompared(...answers: Message[]) {
  const [first, ...branches] = answers
  if (!first) throw new Error('nothing to compare')
  const id = createUuid()
  const question: Message = { id: 'q', role: 'user', content: 'Why?', created_at: '2026-11-20T00:00:00.000Z' }
  conversationStore.saveConversation({
    id,
    created_at: '2026-11-20T00:00:00.000Z',
    messages: [question, first],
    branches,
  })
  selectedConversationStore.select(id)
  await showChat()
  await screen.findByRole('group', { name: /side by side$/ })
}

const conversation = (): Conversation => {
  const shown = selectedConversationStore.getSnapshot()
  if (!shown) throw new Error('no conversation is shown')
  return shown
}
const column = (name: string) => within(screen.getByRole('group', { name }))
const click = (element: Element) => act(async () => void fireEvent.click(element))
const announced = () =>
  [...document.querySelectorAll('[aria-live="polite"]')].flatMap(({ textContent }) => textContent || [])

async function change(id: string, edit: Partial<Message>): Promise<void> {
  await act(async () => {
    const message = findTurn(conversation(), id)
    if (message) conversationStore.saveConversation(replaceMessage(conversation(), { ...message, ...edit }))
  })
}

beforeEach(() => {
  models = MODELS
  stubDialogs()
  stop.mockClear()
  ask.mockClear()
  localStorage.clear()
  creditIdStore.write(createUuid())
  selectedConversationStore.select(null)
  window.history.replaceState(null, '', '/')
  Element.prototype.scrollIntoView = jest.fn()
  fakeServer(({ path }) =>
    path.startsWith('/v1/models')
      ? { json: { data: models } }
      : {
          json: path.includes('/credit')
            ? { credit_id: creditIdStore.getSnapshot(), amount_usd: 5 }
            : { data: [] },
        },
  )
  stubResizeObserver()
})
afterEach(cleanup)

test('choosing models shows the price of each and of all, and sends the question to each', async () => {
  await showChat()
  const [picker] = await screen.findAllByRole('combobox', { name: 'Model' })
  await click(picker ?? document.body)
  await click(await screen.findByRole('button', { name: 'Compare several models' }))
  const compare = await screen.findByRole('button', { name: 'Compare these' })
  expect(compare).toHaveProperty('disabled', true)
  for (const name of [/^Quarter/, /^Dollar/, /^Euro/]) await click(screen.getByRole('option', { name }))
  // A fifth model is one too many.
  await click(screen.getByRole('option', { name: /^Franc/ }))
  const chosen = screen.getAllByRole('option', { selected: true }).map(({ textContent }) => textContent)
  expect(chosen.map(text => text?.match(/^[A-Z][a-z]+/)?.[0])).toEqual(['Penny', 'Quarter', 'Dollar', 'Euro'])
  await click(screen.getByRole('option', { name: /^Euro/ }))
  expect(screen.getByText(/^3 models · together/).textContent).toBe('3 models · together about 4.4 cents')
  await click(compare)

  const chips = within(await screen.findByRole('list', { name: 'To be compared' }))
  expect(chips.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Penny≈ 0.04 cents',
    'Quarter≈ 0.4 cents',
    'Dollar≈ 4 cents',
  ])
  await click(chips.getByRole('button', { name: 'Leave out Quarter' }))
  fireEvent.change(screen.getByRole('textbox', { name: 'Message' }), { target: { value: 'Why?' } })
  await waitFor(() =>
    expect(screen.getByText(/· 2 answers$/).parentElement?.textContent).toMatch(/^≈ 4 cents/),
  )
  await click(screen.getByRole('button', { name: 'Send' }))
  await waitFor(() => expect(ask).toHaveBeenCalledTimes(2))
  const modelIds = ask.mock.calls.map(([known, , id]) => findTurn(known, id)?.model)
  expect(modelIds).toEqual(['Penny', 'Dollar'])
  expect(await screen.findByRole('group', { name: '2 answers side by side' })).toBeTruthy()
})

test('leaving out a model leaves the focus to the next one, and at the last to the dialog', async () => {
  await showChat()
  const [picker] = await screen.findAllByRole('combobox', { name: 'Model' })
  await click(picker ?? document.body)
  await click(await screen.findByRole('button', { name: 'Compare several models' }))
  await click(await screen.findByRole('option', { name: /^Quarter/ }))
  await click(screen.getByRole('button', { name: 'Leave out Penny' }))
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Leave out Quarter' }))
  await click(screen.getByRole('button', { name: 'Leave out Quarter' }))
  await waitFor(() =>
    expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Compare models' })),
  )
})

test('where the only model that draws is chosen, there is nothing to compare it with, which is said', async () => {
  models = [PAINTER, ...MODELS]
  await showChat()
  const [picker] = await screen.findAllByRole('combobox', { name: 'Model' })
  await click(picker ?? document.body)
  await click(await screen.findByRole('button', { name: 'Compare several models' }))
  await click(await screen.findByRole('button', { name: 'Leave out Penny' }))
  expect(screen.queryByText(/no other model/)).toBeNull()
  await click(screen.getByRole('option', { name: /^Painter/ }))
  const reason = screen.getByText(/^There is no other model to compare Painter with/)
  expect(reason.textContent).toMatch(/not compared with each other\.$/)
})

test.each([
  ['painter', 'No model fits this. Texts and pictures are not compared with each other.'],
  ['xylophone', 'No model fits this.'],
])('a search for %s beside a model that writes says why it finds nothing', async (query, said) => {
  models = [PAINTER, ...MODELS]
  await showChat()
  const [picker] = await screen.findAllByRole('combobox', { name: 'Model' })
  await click(picker ?? document.body)
  await click(await screen.findByRole('button', { name: 'Compare several models' }))
  fireEvent.change(await screen.findByRole('combobox', { name: 'Search by name or ability' }), {
    target: { value: query },
  })
  expect(screen.getByText(/^No model fits this/).textContent).toBe(said)
})

/** The models offered for answers beside this one; null if there are none. */
async function offeredBeside(own: Message): Promise<string[] | null> {
  const id = createUuid()
  const question: Message = { id: 'q', role: 'user', content: 'Why?' }
  const { comparison: _, ...alone } = own
  conversationStore.saveConversation({
    id,
    created_at: '2026-11-20T00:00:00.000Z',
    messages: [question, alone],
  })
  selectedConversationStore.select(id)
  await showChat()
  await click(await screen.findByRole('button', { name: 'Answer again' }))
  const item = screen.queryByRole('menuitem', { name: 'Compare with other models…' })
  if (!item) return null
  await click(item)
  const options = await screen.findAllByRole('option')
  return options.map(({ textContent }) => textContent?.match(/^[A-Z][a-z]+/)?.[0] ?? '').sort()
}

test.each([
  ['in words', answer('a1', 'Penny'), ['Dollar', 'Euro', 'Franc', 'Penny', 'Quarter']],
  ['in words by a model that is gone', answer('a1', 'Gone'), ['Dollar', 'Euro', 'Franc', 'Penny', 'Quarter']],
  ['by the only model that draws', answer('a1', 'Painter'), null],
])('an answer %s can be compared with its like only', async (_what, own, offered) => {
  models = [PAINTER, ...MODELS]
  expect(await offeredBeside(own)).toEqual(offered)
})

test('each column has its own answer, Stop and price; the composer’s Stop ends all', async () => {
  const streaming = { status: 'streaming' as const, receipt: undefined }
  await showCompared(
    answer('a1', 'Penny'),
    answer('a2', 'Dollar', streaming),
    answer('a3', 'Euro', streaming),
  )
  expect(screen.getAllByRole('article', { name: 'Assistant message' })).toHaveLength(3)
  const penny = column('Penny').getByRole('article', { name: 'Assistant message' })
  expect(penny.textContent).toContain('Words of Penny.')
  expect(penny.textContent).toContain('1 cent')
  expect(column('Penny').queryByRole('button', { name: 'Stop Penny' })).toBeNull()
  await click(column('Dollar').getByRole('button', { name: 'Stop Dollar' }))
  expect(stop.mock.calls).toEqual([['a2']])
  await click(screen.getByRole('button', { name: 'Stop' }))
  expect(stop.mock.calls).toEqual([['a2'], ['a2'], ['a3']])
})

test('each answer tells its place, since on a phone the others are out of view', async () => {
  await showCompared(answer('a1', 'Penny'), answer('a2', 'Dollar'))
  expect(column('Penny').getByText('1/2')).toBeTruthy()
  expect(column('Dollar').getByText('2/2')).toBeTruthy()
})

test('a screen reader hears once which models are asked and once that they answered, also on a retry', async () => {
  const streaming = { status: 'streaming' as const, receipt: undefined }
  await showCompared(answer('a1', 'Penny', streaming), answer('a2', 'Dollar', streaming))
  await waitFor(() => expect(announced()).toEqual(['2 models are answering.']))
  await change('a1', { content: 'More of it.' })
  await change('a1', { status: 'completed' })
  expect(announced()).toEqual(['2 models are answering.'])
  await change('a2', { status: 'completed' })
  expect(announced()).toEqual(['Answered: Penny, Dollar.'])
  for (const id of ['a1', 'a2']) await change(id, { receipt: RECEIPT })
  expect(announced()).toEqual(['Answered: Penny, Dollar.', 'Together 2 cents'])
  await change('a2', { status: 'streaming' })
  expect(announced()).toEqual(['1 model is answering.'])
})

test('a screen reader is not told of answers when all of them failed', async () => {
  const streaming = { status: 'streaming' as const, receipt: undefined }
  await showCompared(answer('a1', 'Penny', streaming), answer('a2', 'Dollar', streaming))
  await waitFor(() => expect(announced()).toEqual(['2 models are answering.']))
  for (const id of ['a1', 'a2']) await change(id, { status: 'failed', error_code: 'network' })
  expect(announced()).toEqual([])
})

test.each(['Penny', 'Dollar'])(
  'when %s is asked again, the other columns are not re-rendered',
  async name => {
    const failed: Partial<Message> = {
      content: '',
      status: 'failed',
      error_code: 'network',
      receipt: undefined,
    }
    const answers = ['Penny', 'Dollar', 'Euro'].map((model, index) => answer(`a${index + 1}`, model, failed))
    await showCompared(...answers)
    const others = ['Penny', 'Dollar', 'Euro'].filter(other => other !== name)
    const articles = () => others.map(other => column(other).getByRole('article'))
    const before = articles()
    await click(column(name).getByRole('button', { name: 'Try again' }))
    await waitFor(() => expect(ask).toHaveBeenCalledTimes(1))
    expect(articles().map((article, index) => article === before[index])).toEqual([true, true])
  },
)

test('no total is shown before the price of a stopped answer is known', async () => {
  const streaming = { status: 'streaming' as const, receipt: undefined }
  await showCompared(
    answer('a1', 'Penny', streaming),
    answer('a2', 'Dollar', streaming),
    answer('a3', 'Euro', streaming),
  )
  for (const id of ['a1', 'a2']) await change(id, { status: 'stopped', receipt: RECEIPT })
  await change('a3', { status: 'stopped' })
  expect(screen.queryByText(/^Together/)).toBeNull()
  await change('a3', { receipt: RECEIPT })
  expect(screen.getAllByText(/^Together/)[0]?.textContent).toBe('Together 3 cents')
})

test('the kept answer is shown alone, and the others become its versions', async () => {
  await showCompared(answer('a1', 'Penny'), answer('a2', 'Dollar'), answer('a3', 'Euro'))
  expect(screen.getByText(/^Your next message/).textContent).toContain('goes on from Penny,')
  await click(column('Dollar').getByRole('button', { name: 'Keep this one' }))
  const article = screen.getByRole('article', { name: 'Assistant message' })
  expect(article.textContent).toContain('Words of Dollar.')
  expect(within(article).getByText('Version 2 of 3')).toBeTruthy()
  expect(conversation().model).toBe('Dollar')
  await waitFor(() => expect(document.activeElement).toBe(article))

  await click(within(article).getByRole('button', { name: 'More' }))
  await click(screen.getByRole('menuitem', { name: 'Show side by side' }))
  expect(screen.getAllByRole('article', { name: 'Assistant message' })).toHaveLength(3)
})

test('a failed answer says why in its column, can be retried there, and is not continued from', async () => {
  const failed: Partial<Message> = {
    content: '',
    status: 'failed',
    error_code: 'insufficient_credit',
    receipt: undefined,
  }
  await showCompared(answer('a1', 'Penny', failed), answer('a2', 'Dollar'))
  expect(column('Penny').getByText(/^Your balance is too low/)).toBeTruthy()
  expect(column('Dollar').queryByText(/^Your balance is too low/)).toBeNull()
  expect(screen.getByText(/^Your next message/).textContent).toContain('goes on from Dollar,')
  await click(column('Penny').getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(ask).toHaveBeenCalledTimes(1))
  const [[known, , id] = []] = ask.mock.calls
  expect(known && findTurn(known, id ?? '')).toMatchObject({ model: 'Penny', comparison: 'c', parent: 'q' })
})

test('drawn pictures are answers: they are announced, and nobody is offered to pay for them again', async () => {
  const streaming = { status: 'streaming' as const, receipt: undefined }
  const picture = {
    type: 'image_url' as const,
    image_url: { url: 'data:image/png;base64,AA==', created_at: '2026-11-20T00:00:00.000Z' },
  }
  const drawn = { content: [picture], status: 'completed' as const, receipt: RECEIPT }
  await showCompared(answer('a1', 'Penny', streaming), answer('a2', 'Dollar', streaming))
  await waitFor(() => expect(announced()).toEqual(['2 models are answering.']))
  for (const id of ['a1', 'a2']) await change(id, drawn)
  expect(announced()).toEqual(['Answered: Penny, Dollar.', 'Together 2 cents'])
  expect(screen.getAllByRole('button', { name: 'Keep this one' })).toHaveLength(2)
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
})

test('a retry asks for confirmation when it exceeds the person’s limit per message', async () => {
  writeSpendingLimits({ messageUsd: 0.001, conversationUsd: null })
  await showCompared(
    answer('a1', 'Penny'),
    answer('a2', 'Dollar', { status: 'failed', error_code: 'upstream_error' }),
  )
  await click(column('Dollar').getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText(/more than your limit/)).toBeTruthy()
  expect(ask).not.toHaveBeenCalled()
  await click(screen.getByRole('button', { name: 'Yes, go ahead' }))
  await waitFor(() => expect(ask).toHaveBeenCalledTimes(1))
})

test('a partly failed answer offers a retry, a stopped one does not', async () => {
  await showCompared(
    answer('a1', 'Penny', { status: 'failed', error_code: 'upstream_error' }),
    answer('a2', 'Dollar', { status: 'stopped' }),
  )
  expect(column('Dollar').queryByRole('button', { name: 'Try again' })).toBeNull()
  await click(column('Penny').getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(ask).toHaveBeenCalledTimes(1))
})

test('an edited question goes to all compared models, and shows the price of all', async () => {
  await showCompared(answer('a1', 'Penny'), answer('a2', 'Dollar'))
  await click(screen.getByRole('button', { name: 'Edit' }))
  const form = within(screen.getByRole('article', { name: 'Your message' }))
  fireEvent.change(form.getByRole('textbox', { name: 'Edit message' }), { target: { value: 'How?' } })
  await waitFor(() => expect(form.getByText('2 answers').parentElement?.textContent).toMatch(/^≈ 4 cents/))
  await click(form.getByRole('button', { name: 'Send' }))
  await waitFor(() => expect(ask).toHaveBeenCalledTimes(2))
  expect(ask.mock.calls.map(([known, , id]) => findTurn(known, id)?.model)).toEqual(['Penny', 'Dollar'])
})

test('merging shows the price of each model before it is chosen', async () => {
  await showCompared(answer('a1', 'Penny'), answer('a2', 'Dollar'))
  await click(screen.getByRole('button', { name: 'Merge into one…' }))
  const options = within(screen.getByRole('dialog', { name: 'Merge into one answer' }))
  const option = options.getByRole('option', { name: /^Quarter/ })
  expect(option.textContent).toContain('≈ 0.4 cents')
  await click(option)
  await waitFor(() => expect(ask).toHaveBeenCalledTimes(1))
  const [[known, , id] = []] = ask.mock.calls
  expect(known && findTurn(known, id ?? '')).toMatchObject({ model: 'Quarter', merges: ['a1', 'a2'] })
  expect(screen.queryByRole('group', { name: /side by side$/ })).toBeNull()
  expect(conversation().branches?.map(one => one.id)).toEqual(['a1', 'a2'])
})
