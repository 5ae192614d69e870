/** @jest-environment jsdom */
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import { useRef } from 'react'
import { askedPriceStore } from '@/components/chat/asked-price'
import { draftStore, EMPTY_DRAFT, NEW_CHAT } from '@/components/chat/draft-store'
import { MessageBox } from '@/components/chat/message-box'
import { MESSAGE_BOX_ID } from '@/components/ui/focus'
import { useStore } from '@/components/ui/use-store'
import { conversations } from '@/lib/local/conversations/conversations'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { creditIdStore } from '@/lib/local/credit-id'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { writeSpendingLimits } from '@/lib/local/spending-limits'
import { renderInEnglish } from '@/test/support/render'
import { DictationButton } from './dictation-button'
import { dictationStore, IDLE_DICTATION } from './dictation-store'

const CREDIT_ID = '3f0c2f9e-8d1b-4c53-9f3e-0a4f1c2d3e4f'
/** A hundredth of a cent for a second. */
const EARS = { id: 'a/ears', type: 'transcription', pricing: { input_second: '0.0001' } }

interface Call {
  key: string | undefined
  payer: string | undefined
  mostUsd: string | undefined
  form: FormData
}

let calls: Call[] = []
let models: unknown[] = []
let answerTranscription = (): unknown => reply({ json: { text: 'Hello there.' } })
let answerMicrophone = (): Promise<unknown> => Promise.resolve(stream)
const track = { stop: jest.fn() }
const stream = { getTracks: () => [track] }
/** What the microphone gives, from 0 to 1. */
let loudness = 0.5

function reply({ status = 200, json = {} as unknown, headers = {} as Record<string, string> }) {
  return {
    ok: status < 400,
    status,
    headers: {
      get: (name: string) => headers[name] ?? null,
      has: (name: string) => name in headers,
    },
    json: async () => json,
  }
}

/** As much of the browser's recorder as is used. */
class FakeRecorder {
  static isTypeSupported = () => true
  static last: FakeRecorder | null = null
  state = 'inactive'
  mimeType = 'audio/webm;codecs=opus'
  ondataavailable: (event: { data: Blob }) => void = () => undefined
  onstop: () => void = () => undefined

  start() {
    this.state = 'recording'
    FakeRecorder.last = this
  }

  stop() {
    this.state = 'inactive'
    this.ondataavailable({ data: new Blob(['sound']) })
    this.onstop()
  }
}

class FakeAudioContext {
  state = 'running'
  createAnalyser = () => ({
    fftSize: 1,
    getFloatTimeDomainData: (samples: Float32Array) => samples.fill(-loudness),
  })
  createMediaStreamSource = () => ({ connect: () => undefined })
  /** Chromium says so at once, not when it is done. */
  close = async () => {
    this.state = 'closed'
  }
}

const realFetch = globalThis.fetch

beforeEach(() => {
  localStorage.clear()
  localStorage.setItem('credit_id', CREDIT_ID)
  calls = []
  models = [EARS]
  loudness = 0.5
  track.stop.mockClear()
  answerTranscription = () => reply({ json: { text: 'Hello there.' }, headers: { 'x-cost-usd': '0.0003' } })
  answerMicrophone = () => Promise.resolve(stream)
  Reflect.set(globalThis, 'MediaRecorder', FakeRecorder)
  Reflect.set(globalThis, 'AudioContext', FakeAudioContext)
  Reflect.set(navigator, 'mediaDevices', { getUserMedia: () => answerMicrophone() })
  Reflect.set(globalThis, 'fetch', async (path: string, init: RequestInit = {}) => {
    if (path.startsWith('/v1/models')) return reply({ json: { data: models } })
    if (path !== '/v1/audio/transcriptions') return reply({ json: { credit_id: CREDIT_ID, amount_usd: 1 } })
    const {
      'idempotency-key': key,
      'x-max-charge-usd': mostUsd,
      authorization: payer,
    } = init.headers as Record<string, string>
    calls.push({ key, payer, mostUsd, form: init.body as FormData })
    return answerTranscription()
  })
  jest.useFakeTimers({ advanceTimers: true })
})

afterEach(() => {
  cleanup()
  jest.useRealTimers()
  dictationStore.set(IDLE_DICTATION)
  draftStore.set(NEW_CHAT, { text: '', pictureUrls: [], documents: [] })
  noticeStore.hide()
  Reflect.deleteProperty(globalThis, 'MediaRecorder')
  Reflect.set(globalThis, 'fetch', realFetch)
})

const button = (name: string) => screen.findByRole('button', { name })
const textOfDraft = () => draftStore.get(NEW_CHAT).text

async function show() {
  renderInEnglish(<DictationButton draftId={NEW_CHAT} />)
  return button('Dictate')
}

async function speak(seconds = 3) {
  fireEvent.click(await show())
  await button('Write it down')
  act(() => void jest.advanceTimersByTime(seconds * 1000))
}

// The first test, since the code stays loaded for the others.
test('the first press says that it is loading, also to screen readers, until the microphone is asked for', async () => {
  const dictate = await show()
  fireEvent.click(dictate)
  const spoken = () =>
    [...document.querySelectorAll('[aria-live]')].map(region => region.textContent).join('')
  expect(screen.getAllByText('Loading…').length).toBeGreaterThan(1)
  expect(spoken()).toBe('Loading…')
  await button('Write it down')
  expect(screen.queryByText('Loading…')).toBeNull()
})

test('a dictation is added to the draft, and its cost is shown', async () => {
  draftStore.set(NEW_CHAT, { text: 'Well:', pictureUrls: [], documents: [] })
  await speak()
  expect((await screen.findByRole('timer')).textContent).toBe('0:03')
  fireEvent.click(await button('Write it down'))
  await waitFor(() => expect(textOfDraft()).toBe('Well: Hello there.'))
  expect(noticeStore.getSnapshot().text).toContain('0.03 cents')
  expect(track.stop).toHaveBeenCalledTimes(1)
  expect(calls.map(({ form }) => form.get('model'))).toEqual(['a/ears'])
  expect(calls.map(({ form }) => (form.get('file') as Blob).size)).toEqual(['sound'.length])
  expect(screen.queryByRole('group')).toBeNull()
})

const draftOfNewChat = {
  subscribe: draftStore.subscribe,
  getSnapshot: () => draftStore.get(NEW_CHAT),
  getServerSnapshot: () => EMPTY_DRAFT,
}

function Box() {
  const draft = useStore(draftOfNewChat)
  const ref = useRef<HTMLTextAreaElement>(null)
  const write = (text: string) => draftStore.set(NEW_CHAT, { ...draft, text })
  return <MessageBox ref={ref} id={MESSAGE_BOX_ID} text={draft.text} onText={write} onSend={() => {}} />
}

test.each([
  ['Well: you know.', 'Well:', 'Well: Hello there. you know.'],
  ['Well:  you know.', 'Well: ', 'Well: Hello there. you know.'],
  ['(), you know.', '(', '(Hello there.), you know.'],
  ['you know.', '', 'Hello there. you know.'],
])('a dictation into %j is written at the caret, which moves behind it', async (text, before, whole) => {
  draftStore.set(NEW_CHAT, { ...EMPTY_DRAFT, text })
  renderInEnglish(<Box />)
  const box = screen.getByRole<HTMLTextAreaElement>('textbox')
  box.setSelectionRange(before.length, before.length)
  await speak()
  fireEvent.click(await button('Write it down'))
  await waitFor(() => expect(textOfDraft()).toBe(whole))
  expect(box.value).toBe(whole)
  expect(whole.slice(0, box.selectionEnd)).toMatch(/Hello there\. ?$/)
  // It is still typed in, and can be deleted again.
  fireEvent.change(box, { target: { value: text } })
  expect(textOfDraft()).toBe(text)
})

test.each([
  ['untouched, its end', false, 'you know. Hello there.'],
  ['touched, its start', true, 'Hello there. you know.'],
])('on a touch screen the caret at the start of a box means, if %s', async (_, isTouched, whole) => {
  const { matchMedia } = window
  Reflect.set(window, 'matchMedia', () => ({ matches: true }))
  try {
    draftStore.set(NEW_CHAT, { ...EMPTY_DRAFT, text: 'you know.' })
    renderInEnglish(<Box />)
    const box = screen.getByRole<HTMLTextAreaElement>('textbox')
    if (isTouched) box.focus()
    box.setSelectionRange(0, 0)
    await speak()
    fireEvent.click(await button('Write it down'))
    await waitFor(() => expect(textOfDraft()).toBe(whole))
  } finally {
    Reflect.set(window, 'matchMedia', matchMedia)
  }
})

test('a dictation for a new chat does not go into an older chat that is opened meanwhile', async () => {
  const older = { id: 'older', created_at: '2020-01-01T00:00:00.000Z', messages: [] }
  let answer: (response: unknown) => void = () => undefined
  answerTranscription = () => new Promise(resolve => (answer = resolve))
  await speak()
  fireEvent.click(await button('Write it down'))
  await waitFor(() => expect(calls).toHaveLength(1))
  conversations.save(older, true)
  selectedConversationStore.select(older.id)
  await act(async () => answer(reply({ json: { text: 'Hello there.' } })))
  await waitFor(() => expect(textOfDraft()).toBe('Hello there.'))
  expect(draftStore.get(older.id).text).toBe('')
  selectedConversationStore.select(null)
})

test('a dictation for a new chat goes into the conversation that it has become', async () => {
  let answer: (response: unknown) => void = () => undefined
  answerTranscription = () => new Promise(resolve => (answer = resolve))
  await speak()
  fireEvent.click(await button('Write it down'))
  await waitFor(() => expect(calls).toHaveLength(1))
  conversations.save({ id: 'begun', created_at: new Date().toISOString(), messages: [] }, true)
  selectedConversationStore.select('begun')
  await act(async () => answer(reply({ json: { text: 'Hello there.' } })))
  await waitFor(() => expect(draftStore.get('begun').text).toBe('Hello there.'))
  expect(textOfDraft()).toBe('')
  selectedConversationStore.select(null)
})

test('the timer also runs during silence', async () => {
  loudness = 0
  await speak()
  expect((await screen.findByRole('timer')).textContent).toBe('0:03')
})

test('no price is confirmed again while a recording is being transcribed', async () => {
  answerTranscription = () => new Promise(() => undefined)
  await speak()
  fireEvent.click(await button('Write it down'))
  await waitFor(() => expect(calls).toHaveLength(1))
  writeSpendingLimits({ messageUsd: 0, conversationUsd: null })
  fireEvent.click(await button('Dictate'))
  await act(() => jest.advanceTimersByTimeAsync(100))
  expect(askedPriceStore.getSnapshot()).toBeNull()
})

test('the Dictate button also ends its recording', async () => {
  await speak()
  fireEvent.click(await button('Dictate'))
  await waitFor(() => expect(textOfDraft()).toBe('Hello there.'))
})

test('the focus stays in another field when the transcript arrives', async () => {
  const [box, elsewhere] = ['textarea', 'input'].map(name =>
    document.body.appendChild(document.createElement(name)),
  )
  box?.setAttribute('id', MESSAGE_BOX_ID)
  await speak()
  fireEvent.click(await button('Write it down'))
  elsewhere?.focus()
  await waitFor(() => expect(textOfDraft()).toBe('Hello there.'))
  await act(() => jest.advanceTimersByTimeAsync(100))
  expect(document.activeElement).toBe(elsewhere)
  box?.remove()
  elsewhere?.remove()
})

test('the price limit is one second above the shown price, and a higher price is shown before retrying', async () => {
  await speak(3)
  models = [{ ...EARS, pricing: { input_second: '0.01' } }]
  const answered = answerTranscription
  answerTranscription = () => reply({ status: 402, json: { error: { code: 'price_above_limit' } } })
  fireEvent.click(await button('Write it down'))
  expect((await screen.findByRole('alert')).textContent).toContain('The price has changed')
  expect(screen.getByText(/3 cents/)).toBeTruthy()
  answerTranscription = answered
  fireEvent.click(await button('Write it down'))
  await waitFor(() => expect(textOfDraft()).toBe('Hello there.'))
  const [shown, now] = calls.map(({ mostUsd }) => Number(mostUsd))
  expect([shown, now]).toEqual([0.0005, 0.05])
})

test('a silent recording is sent only after a second press', async () => {
  loudness = 0
  await speak()
  fireEvent.click(await button('Write it down'))
  expect((await screen.findByRole('alert')).textContent).toContain('Nothing was heard')
  expect(calls).toEqual([])
  fireEvent.click(await button('Write it down'))
  await waitFor(() => expect(textOfDraft()).toBe('Hello there.'))
})

test.each(['Try again', 'Dictate'])('after silence, %s records anew and pays for nothing', async name => {
  loudness = 0
  await speak()
  fireEvent.click(await button('Write it down'))
  expect((await screen.findByRole('alert')).textContent).toContain('try again')
  loudness = 0.5
  fireEvent.click(await button(name))
  await waitFor(() => expect(dictationStore.getSnapshot()).toEqual({ status: 'recording', errorCode: null }))
  expect(document.activeElement).toBe(await button('Dictate'))
  act(() => void jest.advanceTimersByTime(3000))
  expect(calls).toEqual([])
  fireEvent.click(await button('Write it down'))
  await waitFor(() => expect(textOfDraft()).toBe('Hello there.'))
  expect(calls).toHaveLength(1)
})

test('that a recording has ended by itself is shown', async () => {
  await speak()
  await act(async () => FakeRecorder.last?.stop())
  const shown = (await screen.findAllByText(/The recording has ended/)).filter(
    element => !element.closest('[aria-live]'),
  )
  expect(shown).toHaveLength(1)
})

test('a transcript without a word tells what it cost, and does not claim that something was written', async () => {
  answerTranscription = () => reply({ json: { text: '' }, headers: { 'x-cost-usd': '0.0003' } })
  await speak()
  fireEvent.click(await button('Write it down'))
  expect((await screen.findByRole('alert')).textContent).toContain('Nothing was heard')
  expect(noticeStore.getSnapshot().text).toBe('The attempt cost 0.03 cents.')
  expect(textOfDraft()).toBe('')
})

describe('a failed transcription is kept, and retried', () => {
  const failWith = async (fail: () => unknown, sentence: string) => {
    const answered = answerTranscription
    answerTranscription = fail
    await speak()
    fireEvent.click(await button('Write it down'))
    expect((await screen.findByRole('alert')).textContent).toContain(sentence)
    expect(textOfDraft()).toBe('')
    answerTranscription = answered
    fireEvent.click(await button('Write it down'))
    await waitFor(() => expect(textOfDraft()).toBe('Hello there.'))
    const [first, second] = calls.map(({ key }) => key)
    return first === second
  }

  test('with the same idempotency key if it may have been charged', async () => {
    const cut = () => {
      throw new TypeError('Failed to fetch')
    }
    expect(await failWith(cut, 'network')).toBe(true)
  })

  test('with the credit that may have paid, and with the new one once the first has no money', async () => {
    const OTHER = 'a51f2e6d-1f0b-4a35-8d5e-6f1d2c3b4a59'
    const answers = [
      () => {
        creditIdStore.write(OTHER)
        throw new TypeError('Failed to fetch')
      },
      () => reply({ status: 429, json: { error: { code: 'rate_limited' } } }),
      () => reply({ status: 402, json: { error: { code: 'insufficient_credit' } } }),
      answerTranscription,
    ]
    answerTranscription = () => answers.shift()?.()
    await speak()
    for (const left of [3, 2]) {
      fireEvent.click(await button('Write it down'))
      await waitFor(() => expect(answers).toHaveLength(left))
    }
    fireEvent.click(await button('Write it down'))
    await waitFor(() => expect(textOfDraft()).toBe('Hello there.'))
    const payers = calls.map(({ payer }) => payer?.slice('Bearer '.length))
    expect(payers).toEqual([CREDIT_ID, CREDIT_ID, CREDIT_ID, OTHER])
    expect(new Set(calls.slice(0, 3).map(({ key }) => key)).size).toBe(1)
    expect(calls[3]?.key).not.toBe(calls[0]?.key)
  })

  test('after the network is back, which removes the error message', async () => {
    answerTranscription = () => {
      throw new TypeError('Failed to fetch')
    }
    await speak()
    fireEvent.click(await button('Write it down'))
    await screen.findByText(/No connection to the server/)
    fireEvent(window, new Event('online'))
    expect(screen.queryByText(/No connection to the server/)).toBeNull()
    expect(await button('Write it down')).toBeTruthy()
  })

  test('with the same key until its result is known, whatever refuses the next attempt', async () => {
    const answered = answerTranscription
    answerTranscription = () => {
      answerTranscription = () => reply({ status: 429, json: { error: { code: 'rate_limited' } } })
      throw new TypeError('Failed to fetch')
    }
    await speak()
    fireEvent.click(await button('Write it down'))
    expect((await screen.findByRole('alert')).textContent).toContain('network')
    fireEvent.click(await button('Write it down'))
    await waitFor(() => expect(screen.getByRole('alert').textContent).not.toContain('network'))
    answerTranscription = answered
    fireEvent.click(await button('Write it down'))
    await waitFor(() => expect(textOfDraft()).toBe('Hello there.'))
    expect(calls).toHaveLength(3)
    expect(new Set(calls.map(({ key }) => key)).size).toBe(1)
  })

  test('with a new key if it was refused', async () => {
    const refuse = () => reply({ status: 402, json: { error: { code: 'insufficient_credit' } } })
    expect(await failWith(refuse, 'Your balance is too low')).toBe(false)
  })
})

test.each([
  ['upstream_error', 502],
  ['upstream_timeout', 504],
  ['unprocessable', 422],
  ['model_not_found', 404],
])('nobody is told to choose another model when a dictation fails with %s', async (code, status) => {
  answerTranscription = () => reply({ status, json: { error: { code } } })
  await speak()
  fireEvent.click(await button('Write it down'))
  const sentence = (await screen.findByRole('alert')).textContent
  expect(sentence).toMatch(/Speech recognition/)
  expect(sentence).not.toMatch(/model|[Cc]hoose/)
})

test('without credit an error is shown before anything is recorded', async () => {
  localStorage.removeItem('credit_id')
  fireEvent.click(await show())
  expect((await screen.findByRole('alert')).textContent).toContain('Your balance is too low')
  expect(FakeRecorder.last?.state).not.toBe('recording')
  fireEvent.click(await button('Close'))
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
})

test.each([
  ['NotAllowedError', 'blocked for this site'],
  ['NotFoundError', 'No microphone was found'],
  ['OverconstrainedError', 'No microphone was found'],
  ['NotReadableError', 'could not be used'],
])('a microphone that fails with %s shows the reason', async (name, sentence) => {
  answerMicrophone = () => Promise.reject(new DOMException('no', name))
  fireEvent.click(await show())
  expect((await screen.findByRole('alert')).textContent).toContain(sentence)
})

test('if the browser cannot analyse sound, the microphone is released with an error', async () => {
  Reflect.set(globalThis, 'AudioContext', () => {
    throw new DOMException('too many', 'NotSupportedError')
  })
  fireEvent.click(await show())
  expect((await screen.findByRole('alert')).textContent).toContain('could not be used')
  expect(track.stop).toHaveBeenCalledTimes(1)
})

test('the browser asks before a page is left with a recording, and only then', async () => {
  const isAsked = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))
  expect(isAsked()).toBe(false)
  await speak()
  expect(isAsked()).toBe(true)
  const discard = await button('Discard the recording')
  await act(async () => void fireEvent.click(discard))
  expect(isAsked()).toBe(false)
})

test('discarding removes the recording, and releases the microphone', async () => {
  await speak()
  const discard = await button('Discard the recording')
  await act(async () => void fireEvent.click(discard))
  await waitFor(() => expect(screen.queryByRole('group')).toBeNull())
  expect(track.stop).toHaveBeenCalledTimes(1)
  expect(document.activeElement).toBe(await button('Dictate'))
  expect(calls).toEqual([])
})

test('a microphone that opens after discarding is released at once', async () => {
  let open: (given: unknown) => void = () => undefined
  answerMicrophone = () => new Promise(resolve => (open = resolve))
  fireEvent.click(await show())
  const discard = await button('Discard the recording')
  await act(async () => void fireEvent.click(discard))
  await act(async () => open(stream))
  await waitFor(() => expect(track.stop).toHaveBeenCalledTimes(1))
  expect(dictationStore.getSnapshot()).toEqual(IDLE_DICTATION)
})

test('leaving the page before the code has loaded does not open the microphone', async () => {
  const opened = jest.fn(() => Promise.resolve(stream))
  answerMicrophone = opened
  fireEvent.click(await show())
  cleanup()
  await act(() => jest.advanceTimersByTimeAsync(1_000))
  expect(opened).not.toHaveBeenCalled()
  expect(dictationStore.getSnapshot()).toEqual(IDLE_DICTATION)
})

test('a late refusal of a discarded recording does not affect the next one', async () => {
  let refuse: (error: unknown) => void = () => undefined
  answerMicrophone = () => new Promise((_, reject) => (refuse = reject))
  fireEvent.click(await show())
  const discard = await button('Discard the recording')
  await act(async () => void fireEvent.click(discard))
  answerMicrophone = () => Promise.resolve(stream)
  fireEvent.click(await button('Dictate'))
  await button('Write it down')
  await act(async () => refuse(new DOMException('no', 'NotAllowedError')))
  expect(dictationStore.getSnapshot()).toEqual({ status: 'recording', errorCode: null })
})

test.each([
  ['leaving the page', () => cleanup()],
  ['unplugging the headset', () => act(async () => FakeRecorder.last?.stop())],
  ['ten minutes', () => act(async () => void jest.advanceTimersByTime(600_000))],
])('%s ends the recording and keeps it', async (_, end) => {
  await speak()
  await end()
  await waitFor(() => expect(dictationStore.getSnapshot().status).toBe('held'))
  expect(track.stop).toHaveBeenCalledTimes(1)
  expect(calls).toEqual([])
  cleanup()
  await show()
  expect(await screen.findByText(/^The recording has ended/)).toBeDefined()
  fireEvent.click(await button('Write it down'))
  await waitFor(() => expect(textOfDraft()).toBe('Hello there.'))
})

test.each([
  ['a browser that cannot record', () => Reflect.deleteProperty(globalThis, 'MediaRecorder')],
  ['no transcription model', () => (models = [{ id: 'a/voice', type: 'speech', pricing: { prompt: '0' } }])],
])('with %s no dictation is offered', async (_, without) => {
  without()
  renderInEnglish(<DictationButton draftId={NEW_CHAT} />)
  await act(async () => void (await jest.advanceTimersByTimeAsync(1_000)))
  expect(screen.queryByRole('button')).toBeNull()
})
