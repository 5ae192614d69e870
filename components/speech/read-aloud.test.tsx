/** @jest-environment jsdom */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { Profiler } from 'react'
import { finishedAnswerStore } from '@/components/chat/finished-answer-store'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import type { Message } from '@/lib/local/domain/conversation'
import { settingsStore } from '@/lib/local/settings/settings-store'
import { renderInEnglish } from '@/test/support/render'
import { speechPlayer } from './page-speech'
import { ReadAloud } from './read-aloud'

const CREDIT_ID = '3f0c2f9e-8d1b-4c53-9f3e-0a4f1c2d3e4f'
const CONVERSATION_ID = 'talk'
/** Ten dollars for a million characters. */
const VOICE_MODEL = { id: 'a/voice', type: 'speech', pricing: { input_character: '0.00001' } }
const VOICES = [{ id: 'alloy', name: 'Alloy', models: ['a/voice'] }]

interface Call {
  path: string
  init: RequestInit
}

let answerCount = 0
let calls: Call[] = []
let models: unknown[] = []
let answerSpeech = () => reply({})

/** As much of a response as is read here: jsdom has none. */
function reply({
  status = 200,
  json = {},
  headers = {},
}: {
  status?: number
  json?: unknown
  headers?: Record<string, string>
}) {
  return {
    ok: status < 400,
    status,
    headers: { get: (name: string) => headers[name] ?? null, has: (name: string) => name in headers },
    json: async () => json,
    blob: async () => new Blob(['sound']),
  }
}

function speechCalls() {
  return calls.filter(({ path }) => path === '/v1/audio/speech').map(({ init }) => init)
}

function answer(path: string) {
  if (path.startsWith('/v1/models')) return reply({ json: { data: models } })
  if (path === '/v1/audio/voices') return reply({ json: { data: VOICES } })
  if (path === '/v1/audio/speech') return answerSpeech()
  if (path.startsWith('/queries/')) return reply({ json: USAGE })
  return reply({ json: { credit_id: CREDIT_ID, amount_usd: 1 } })
}

const USAGE = { id: 'one', timestamp: '2026-01-01T00:00:00Z', price_in_usd: 0.00012 }
const realFetch = globalThis.fetch
/** The one audio element of the page, as soon as it has been played. */
let element: HTMLMediaElement | null = null

beforeEach(() => {
  localStorage.clear()
  localStorage.setItem('credit_id', CREDIT_ID)
  calls = []
  models = [VOICE_MODEL]
  answerSpeech = () => reply({ headers: { 'x-exchange-id': 'one' } })
  Reflect.set(globalThis, 'fetch', async (path: string, init: RequestInit = {}) => {
    calls.push({ path, init })
    return answer(path)
  })
  URL.createObjectURL = () => 'blob:sound'
  URL.revokeObjectURL = () => undefined
  jest.spyOn(HTMLMediaElement.prototype, 'play').mockImplementation(async function (this: HTMLMediaElement) {
    element = this
    this.dispatchEvent(new Event('playing'))
  })
  jest.spyOn(HTMLMediaElement.prototype, 'load').mockReturnValue()
  jest.spyOn(HTMLMediaElement.prototype, 'pause').mockImplementation(function (this: HTMLMediaElement) {
    this.dispatchEvent(new Event('pause'))
  })
})

afterEach(() => {
  speechPlayer.stop()
  cleanup()
  jest.restoreAllMocks()
  Reflect.set(globalThis, 'fetch', realFetch)
  finishedAnswerStore.set(null)
})

/** Each test has words of its own: what was bought is held for the whole page. */
function show(): Message & { id: string; content: string } {
  answerCount += 1
  const message = {
    role: 'assistant' as const,
    id: `answer-${answerCount}`,
    content: `Words number ${String(answerCount).padStart(2, '0')}.`,
    status: 'completed' as const,
  }
  conversationStore.saveConversation({
    id: CONVERSATION_ID,
    created_at: '2026-01-01T00:00:00Z',
    messages: [message],
  })
  selectedConversationStore.select(CONVERSATION_ID)
  renderInEnglish(<ReadAloud message={message} text={message.content} />)
  return message
}

const button = (name: string | RegExp) => screen.findByRole('button', { name })
const sound = (event: 'ended' | 'error') => act(() => void element?.dispatchEvent(new Event(event)))
const storedReceipt = () => conversationStore.get(CONVERSATION_ID)?.messages.at(-1)?.speech_receipt

describe('problems with reading aloud', () => {
  test('without a speech model nothing is offered, and no voices are requested', async () => {
    models = [{ id: 'a/ears', type: 'transcription', pricing: { input_second: '0' } }]
    show()
    await waitFor(() => expect(calls.map(({ path }) => path)).toEqual(['/v1/models?type=audio']))
    expect(screen.queryByRole('button')).toBeNull()
  })

  test('a balance that is too low links to the top-up, and nothing is charged', async () => {
    answerSpeech = () => reply({ status: 402, json: { error: { code: 'insufficient_credit' } } })
    show()
    fireEvent.click(await button(/^Read aloud/))
    expect((await screen.findByRole('alert')).textContent).toContain('Your balance is too low')
    expect(screen.getByRole('link', { name: 'Add credit' }).getAttribute('href')).toContain('/top-up')
    expect(storedReceipt()).toBeUndefined()
    expect(await button(/^Read aloud/)).toBeTruthy()
  })

  test('without a credit an error is shown, and nothing is requested', async () => {
    localStorage.removeItem('credit_id')
    show()
    fireEvent.click(await button(/^Read aloud/))
    expect((await screen.findByRole('alert')).textContent).toContain('Your balance is too low')
    expect(speechCalls()).toEqual([])
  })

  test.each([
    ['upstream_error', 502],
    ['upstream_timeout', 504],
    ['unprocessable', 422],
    ['model_not_found', 404],
  ])('a voice that fails with %s advises another voice, not another model', async (code, status) => {
    answerSpeech = () => reply({ status, json: { error: { code } } })
    show()
    fireEvent.click(await button(/^Read aloud/))
    const sentence = (await screen.findByRole('alert')).textContent
    expect(sentence).toMatch(/voice .*choose another/i)
    expect(sentence).not.toContain('model')
  })

  test('sound that cannot be played shows an error', async () => {
    show()
    fireEvent.click(await button(/^Read aloud/))
    await button('Pause')
    sound('error')
    expect((await screen.findByRole('alert')).textContent).toContain('could not play')
  })

  test('that there is no connection is said only as long as there is none', async () => {
    answerSpeech = () => {
      throw new TypeError('Failed to fetch')
    }
    show()
    fireEvent.click(await button(/^Read aloud/))
    expect((await screen.findByRole('alert')).textContent).toContain('No connection')
    fireEvent(window, new Event('online'))
    expect(screen.queryByRole('alert')).toBeNull()
  })
})

test('an answer is read for the shown price, and played again without another request', async () => {
  const message = show()
  const start = await button(/^Read aloud/)
  expect(start.textContent).toContain('≈ 0.016 cents')
  fireEvent.click(start)
  fireEvent.click(await button('Pause'))
  expect((await button('Continue')).closest('button')).toBe(start)
  fireEvent.click(start)
  await button('Pause')
  sound('ended')
  fireEvent.click(await button('Listen again'))
  await button('Pause')

  const [init, ...others] = speechCalls()
  expect(others).toEqual([])
  expect(JSON.parse(String(init?.body))).toEqual({ model: 'a/voice', voice: 'alloy', input: message.content })
  expect(init?.headers).toMatchObject({ 'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/) })
  await waitFor(() => expect(storedReceipt()).toEqual({ cost_usd: '0.00012' }))
})

test('the cost in the response header is stored without looking up the call', async () => {
  answerSpeech = () => reply({ headers: { 'x-cost-usd': '0.00015' } })
  show()
  fireEvent.click(await button(/^Read aloud/))
  await waitFor(() => expect(storedReceipt()).toEqual({ cost_usd: '0.00015' }))
  expect(calls.some(({ path }) => path.startsWith('/queries/'))).toBe(false)
})

test('ending the reading returns the focus to the start button', async () => {
  show()
  fireEvent.click(await button(/^Read aloud/))
  fireEvent.click(await button('End reading'))
  expect(document.activeElement).toBe(await button('Listen again'))
  expect(screen.queryByRole('progressbar')).toBeNull()
})

test('leaving the conversation ends the reading', async () => {
  show()
  fireEvent.click(await button(/^Read aloud/))
  await button('Pause')
  cleanup()
  expect(speechPlayer.getSnapshot().status).toBe('idle')
})

test('removing a second copy of the message does not end the reading', async () => {
  const message = show()
  const again = renderInEnglish(<ReadAloud message={message} text={message.content} />)
  fireEvent.click((await screen.findAllByRole('button', { name: /^Read aloud/ }))[0] as HTMLElement)
  await screen.findAllByRole('button', { name: 'Pause' })
  again.unmount()
  expect(speechPlayer.getSnapshot().status).toBe('playing')
  cleanup()
  expect(speechPlayer.getSnapshot().status).toBe('idle')
})

describe('an answer that has just been completed', () => {
  test('is read automatically once, if the settings say so', async () => {
    settingsStore.update({ autoPlayTts: true })
    const { id } = show()
    act(() => finishedAnswerStore.set(id))
    await button('Pause')
    sound('ended')
    await button('Listen again')
    expect(speechCalls()).toHaveLength(1)
    expect(finishedAnswerStore.getSnapshot()).toBeNull()
  })

  test('does not re-render other answers', async () => {
    const message = { role: 'assistant' as const, id: 'other', content: 'Other words.' }
    const onRender = jest.fn()
    renderInEnglish(
      <Profiler id="other" onRender={onRender}>
        <ReadAloud message={message} text={message.content} />
      </Profiler>,
    )
    await button(/^Read aloud/)
    onRender.mockClear()
    act(() => finishedAnswerStore.set('another'))
    expect(onRender).not.toHaveBeenCalled()
  })

  test('is not read otherwise', async () => {
    const { id } = show()
    act(() => finishedAnswerStore.set(id))
    await button(/^Read aloud/)
    await waitFor(() => expect(finishedAnswerStore.getSnapshot()).toBeNull())
    expect(speechCalls()).toEqual([])
  })
})
