/** @jest-environment jsdom */
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import type { ExchangePhase } from '@/lib/exchange/client/follow-exchange'
import { type Locale, routing } from '@/lib/i18n/routing'
import type { AnswerErrorCode, Message, Receipt } from '@/lib/local/domain/conversation'
import { messagesIn } from '@/test/support/messages'
import { chatModel, turnActions } from './testing'
import type { TurnActions } from './turn-actions'

jest.unstable_mockModule('@/lib/i18n/navigation', () => ({ Link: 'a' }))
// The footer loads it when first shown: it would come in the middle of some test, or after it.
jest.unstable_mockModule('@/components/speech/read-aloud', () => new Promise(() => {}))
const { AnswerFooter } = await import('./answer-footer')

const PAID: Receipt = { cost_usd: '0.002', input_token_count: 0, output_token_count: 0, estimated: false }

afterEach(cleanup)

interface Shown {
  language?: Locale
  phase?: ExchangePhase | null
  isDrawing?: boolean
  text?: string
  message?: Partial<Message>
  actions?: TurnActions | null
}

function show({
  language = 'en',
  phase = null,
  isDrawing = false,
  text = '',
  message = {},
  actions = null,
}: Shown): string {
  const { container } = render(
    <NextIntlClientProvider locale={language} messages={messagesIn(language)}>
      <AnswerFooter
        message={{ role: 'assistant', content: '', id: 'a', ...message }}
        text={text}
        modelName="Painter"
        phase={phase}
        isDrawing={isDrawing}
        isLast={false}
        versions={null}
        actions={actions}
      />
    </NextIntlClientProvider>,
  )
  return container.textContent
}

describe('the footer of a running answer', () => {
  test('names the model and what it is doing', () => {
    expect(show({ phase: 'connecting' })).toBe('Painter is answering…')
    expect(show({ phase: 'streaming', isDrawing: true })).toBe('Painter is drawing…')
    expect(show({ phase: 'reconnecting' })).toContain('Connection lost')
  })

  test.each(routing.locales)(
    'says of an answer stopped too late that it is charged and will still arrive, in %s',
    language => {
      const { drawnAnyway, answeredAnyway } = messagesIn(language).chat
      expect(show({ language, phase: 'finishing', isDrawing: true })).toBe(drawnAnyway)
      cleanup()
      expect(show({ language, phase: 'finishing' })).toBe(answeredAnyway)
    },
  )
})

describe('the footer of a stopped answer', () => {
  test('says that nothing was charged if the cost is zero', () => {
    const text = show({ message: { status: 'stopped', receipt: { ...PAID, cost_usd: '0' } } })
    expect(text).toContain('Stopped.')
    expect(text).toContain('$0.00 — you were not charged')
  })

  test('says what is charged for, and shows the price once it is known', () => {
    const pending = show({ message: { status: 'stopped' } })
    expect(pending).toContain('You pay for what the model had read and written by then.')
    expect(pending).not.toContain('$')
    cleanup()
    const shownText = show({ message: { status: 'stopped', receipt: PAID } })
    expect(shownText).toContain('$0.002')
    expect(shownText).not.toContain('0 tokens')
  })
})

test('the footer explains that the provider’s content filter ended the answer', () => {
  const held = show({ message: { status: 'completed', finish_reason: 'content_filter', receipt: PAID } })
  expect(held).toContain('held the rest back under its content rules')
  cleanup()
  expect(show({ message: { status: 'completed', finish_reason: 'stop' } })).not.toContain('rules')
})

test('the footer of an answer without a word says so, unless it is a picture', () => {
  const empty = { status: 'completed', finish_reason: 'stop', receipt: PAID } as const
  expect(show({ message: empty })).toContain('The model gave no answer.')
  cleanup()
  const picture = {
    type: 'image_url',
    image_url: { url: 'data:image/png;base64,AA==', created_at: '2026-01-01T00:00:00.000Z' },
  } as const
  expect(show({ message: { ...empty, content: [picture] } })).not.toContain('no answer')
})

test('the footer gives advice that helps when the provider refuses a message as invalid', () => {
  const text = show({ message: { status: 'failed', error_code: 'invalid_request' } })
  expect(text).toContain('Change the message or choose another model.')
  expect(text).not.toContain('Reload the page')
})

test('the footer offers another model when the same model cannot answer again', () => {
  const actions = turnActions({ model: chatModel({ name: 'Painter' }) })
  const again = (error_code: AnswerErrorCode) => {
    cleanup()
    show({ message: { status: 'failed', error_code }, actions })
    return screen.queryByRole('button', { name: 'Try again' }) === null
  }
  expect(again('upstream_error')).toBe(false)
  expect(again('model_not_found')).toBe(true)
  expect(screen.getByRole('button', { name: 'Answer again' })).toBeTruthy()
})

test.each([
  ['in words where nothing was answered', '', 'Try again'],
  ['by an icon below a part of an answer', 'Copper.', ''],
])('the footer offers a retry %s', (_, text, words) => {
  show({ text, message: { status: 'failed', error_code: 'upstream_error' }, actions: turnActions({}) })
  expect(screen.getByRole('button', { name: 'Try again' }).textContent).toBe(words)
})

test.each([
  ['words', 'Copper.', 1],
  ['a picture alone', '', 0],
])('the footer of %s offers to quote what can be quoted', (_, text, count) => {
  show({ text, message: { status: 'completed' }, actions: turnActions({}) })
  fireEvent.click(screen.getByRole('button', { name: 'More' }))
  expect(screen.queryAllByRole('menuitem', { name: 'Quote', hidden: true })).toHaveLength(count)
  expect(screen.getByRole('menuitem', { name: 'Delete from here on', hidden: true })).toBeTruthy()
})

describe('the footer of an answer that reached its limit', () => {
  const limited = (left_usd?: string) =>
    show({ message: { status: 'completed', finish_reason: 'length', receipt: { ...PAID, left_usd } } })

  test('says that the credit did not cover more, if that was the reason', () => {
    expect(limited('0.0004')).toContain('Paused at 0.2 cents: your credit did not cover more.')
  })

  test.each([undefined, '0.98'])('shows the price at which it paused when %s USD is left', left => {
    expect(limited(left)).toContain('Paused at 0.2 cents.')
  })
})

test.each([
  ['en', '1 token in, 1 token out.', 'then 1 token a second.'],
  ['de', '1 Token Eingabe, 1 Token Ausgabe.', 'dann 1 Token pro Sekunde.'],
  ['es', '1 token de entrada, 1 de salida.', 'luego, 1 token por segundo.'],
  ['fr', '1 jeton en entrée, 1 en sortie.', 'puis 1 jeton par seconde.'],
  ['it', '1 token in entrata, 1 in uscita.', 'poi 1 token al secondo.'],
] as const)('the footer counts a single token in the singular in %s', (language, counts, pace) => {
  const receipt = { ...PAID, input_token_count: 1, output_token_count: 1 }
  const timing = { first_token_ms: 400, total_ms: 1_400 }
  const text = show({ language, message: { status: 'completed', receipt, timing } })
  expect(text).toContain(counts)
  expect(text).toContain(pace)
})

test('the footer of an answer that was read aloud shows both prices', () => {
  const text = show({
    message: { status: 'completed', receipt: PAID, speech_receipt: { cost_usd: '0.0001' } },
  })
  expect(text).toContain('read aloud 0.01 cents')
  expect(text).toContain('answer 0.2 cents')
})
