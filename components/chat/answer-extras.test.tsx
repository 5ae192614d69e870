/** @jest-environment jsdom */
import { afterEach, expect, test } from '@jest/globals'
import { cleanup, render, screen } from '@testing-library/react'
import { NextIntlClientProvider } from 'next-intl'
import { routing } from '@/lib/i18n/routing'
import { isMessage } from '@/lib/local/conversations/is-conversation'
import type { Message } from '@/lib/local/domain/conversation'
import { messagesIn } from '@/test/support/messages'
import { renderInEnglish } from '@/test/support/render'
import { AnswerPace, AnswerReasoning, AnswerSources, AnswerTools } from './answer-extras'

afterEach(cleanup)

const ANSWER = {
  role: 'assistant',
  content: 'So.',
  receipt: {
    cost_usd: '0.002',
    input_token_count: 10,
    output_token_count: 300,
    reasoning_token_count: 100,
    estimated: false,
  },
  timing: { first_token_ms: 800, total_ms: 6_800, reasoning_ms: 2_340 },
  annotations: [
    { type: 'url_citation', url_citation: { url: 'https://a.example/x', title: 'Bank of England' } },
    { type: 'url_citation', url_citation: { url: 'javascript:alert(1)', title: 'Click' } },
  ],
  tool_calls: [{ type: 'function', function: { name: 'web_search', arguments: '{"q":"<img src=x>"}' } }],
} satisfies Message

test('a source link shows its host and opens safely; a source without a web address is plain text', () => {
  const { container } = renderInEnglish(<AnswerSources {...ANSWER} />)
  const [link, ...others] = container.querySelectorAll('a')
  expect(others).toEqual([])
  expect(link?.href).toBe('https://a.example/x')
  expect(link?.rel).toBe('noopener noreferrer nofollow')
  expect(container.textContent).toContain('Bank of England (a.example)Click')
})

test('the arguments of a tool call are shown as plain text', () => {
  const { container } = renderInEnglish(<AnswerTools {...ANSWER} />)
  expect(container.textContent).toBe('One tool callweb_search{"q":"<img src=x>"}')
})

test.each<[string, Partial<Message>, string]>([
  ['from the host’s token count', {}, 'Reasoning · 2.3 seconds · ≈ 0.1 cents'],
  [
    'never more than the price of the answer',
    { receipt: { ...ANSWER.receipt, cost_usd: '0.0005' } },
    '≈ 0.05 cents',
  ],
  ['or no price if none is known', { receipt: undefined }, 'Reasoning · 2.3 seconds'],
])('the reasoning shows its duration and its part of the price, %s', (_, change, expected) => {
  const { container } = renderInEnglish(
    <AnswerReasoning message={{ ...ANSWER, ...change }} text="Hm." isOpen={false} outputPrice="0.00001" />,
  )
  expect(container.querySelector('summary')?.textContent.replaceAll('\u00a0', ' ')).toContain(expected)
})

test('the pace of an answer is shown only if it was measured', () => {
  const text = (message: Message) => renderInEnglish(<AnswerPace {...message} />).container.textContent
  expect(text(ANSWER)).toBe('First word after 0.8 seconds, then 50 tokens a second.')
  expect(text({ ...ANSWER, timing: { first_token_ms: 800, total_ms: 900 } })).toBe(
    'First word after 0.8 seconds.',
  )
  expect(text({ ...ANSWER, timing: undefined })).toBe('')
})

test.each(routing.locales)('the sentence about the pace ends with one full stop, in %s', locale => {
  const message = { ...ANSWER, timing: { first_token_ms: 800, total_ms: 900 } }
  const { container } = render(
    <NextIntlClientProvider locale={locale} messages={messagesIn(locale)}>
      <AnswerPace {...message} />
    </NextIntlClientProvider>,
  )
  expect(container.textContent).toMatch(/[^.]\.$/)
})

test.each<[string, object]>([
  ['too many sources', { annotations: Array(51).fill(ANSWER.annotations[0]) }],
  ['an endless address', { annotations: [{ url_citation: { url: 'x'.repeat(3_000) } }] }],
  ['a source that is none', { annotations: ['https://a.example'] }],
  ['an endless call', { tool_calls: [{ function: { name: 'x', arguments: 'x'.repeat(9_000) } }] }],
  ['a time before the beginning', { timing: { first_token_ms: -1, total_ms: 3 } }],
  ['no time', { timing: { first_token_ms: 1 } }],
])('a stored message with %s is not valid', (_, change) => {
  expect(isMessage(ANSWER)).toBe(true)
  expect(isMessage({ ...ANSWER, ...change })).toBe(false)
})

test('a long reasoning can be scrolled by keyboard, and is read in its language', () => {
  const text = 'Das ist der Gedanke, mit dem ich beginne.'
  renderInEnglish(<AnswerReasoning message={ANSWER} text={text} isOpen={false} outputPrice={null} />)
  const shown = screen.getByText(text)
  expect(shown.tabIndex).toBe(0)
  expect(shown.lang).toBe('de')
})
