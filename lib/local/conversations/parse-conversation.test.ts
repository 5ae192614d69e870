import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { chatAddress } from '@/lib/i18n/chat-address'
import { isConversation } from './is-conversation'
import { parseConversation } from './parse-conversation'

const wholeMessage = fc.record({
  role: fc.constantFrom('user', 'assistant', 'system'),
  content: fc.oneof(
    fc.string(),
    fc.array(
      fc.oneof(
        fc.record({ type: fc.constant('text'), text: fc.string() }),
        fc.record({
          type: fc.constant('image_url'),
          image_url: fc.record({ url: fc.webUrl(), created_at: fc.constant('2026-11-01T00:00:00.000Z') }),
        }),
        fc.record({ type: fc.constant('hologram_of_version_9'), hologram: fc.jsonValue() }),
      ),
    ),
  ),
  field_of_version_9: fc.jsonValue(),
})

const wholeConversation = fc.record({
  id: fc.uuid(),
  created_at: fc.constant('2026-11-01T00:00:00.000Z'),
  messages: fc.array(wholeMessage),
  branches_of_version_9: fc.jsonValue(),
})

describe('a value that is not a conversation', () => {
  test.each([
    null,
    3,
    'text',
    [],
    {},
    { id: 'a' },
    { id: '', messages: [] },
    { id: {}, messages: [] },
    { messages: [] },
  ])('%j is refused', value => expect(parseConversation(value)).toBeNull())

  test('no value makes the parser throw, and its result is valid', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const parsed = parseConversation(value)
        expect(parsed === null || isConversation(parsed.conversation)).toBe(true)
      }),
    )
  })

  test('no conversation with one replaced value makes the parser throw', () => {
    const damaged = fc
      .tuple(
        wholeConversation,
        fc.constantFrom('id', 'created_at', 'messages', 'title', 'model', 'updated_at'),
        fc.jsonValue(),
      )
      .map(([conversation, field, value]) => ({ ...conversation, [field]: value }))
    fc.assert(
      fc.property(damaged, value => {
        const parsed = parseConversation(value)
        expect(parsed === null || isConversation(parsed.conversation)).toBe(true)
      }),
    )
  })
})

describe('a conversation', () => {
  test('that is valid is returned as the same object, with fields of newer versions', () => {
    fc.assert(
      fc.property(wholeConversation, value => {
        const parsed = parseConversation(value)
        expect(parsed?.conversation).toBe(value)
        expect(parsed?.isWhole).toBe(true)
      }),
    )
  })

  test('of the plain specified shape gets alternating roles and loses nothing', () => {
    const parsed = parseConversation({
      id: 'a',
      created_at: '2025-01-01',
      messages: [{ content: 'question' }, { content: 'answer', rating: 5 }],
    })
    expect(parsed?.isWhole).toBe(true)
    expect(parsed?.conversation.messages).toEqual([
      { role: 'user', content: 'question' },
      { role: 'assistant', content: 'answer', rating: 5 },
    ])
  })

  test('with numbers as date and id is read', () => {
    const parsed = parseConversation({ id: 7, created_at: 1_700_000_000_000, messages: [] })
    expect(parsed?.conversation).toEqual({ id: '7', created_at: '2023-11-14T22:13:20.000Z', messages: [] })
  })

  test('whose id has half a surrogate pair gets an id that fits into a URL', () => {
    const parsed = parseConversation({ id: 'a\ud800', created_at: '2025-01-01', messages: [] })
    expect(parsed?.conversation.id).toBe('a\ufffd')
    expect(chatAddress('/', parsed?.conversation.id ?? null)).toBe('/c/a%EF%BF%BD')
  })

  test('whose parts lack dates or are bare URLs is read', () => {
    const content = [
      { type: 'image_url', image_url: 'https://images.example/1.png' },
      { type: 'document_url', document_url: { url: 'b', name: 'b.pdf' } },
    ]
    const parsed = parseConversation({
      id: 'a',
      created_at: '2025-01-01',
      messages: [{ role: 'user', content }],
    })
    expect(parsed?.isWhole).toBe(true)
    expect(parsed?.conversation.messages[0]?.content).toEqual([
      { type: 'image_url', image_url: { url: 'https://images.example/1.png', created_at: '2025-01-12' } },
      { type: 'document_url', document_url: { url: 'b', name: 'b.pdf', created_at: '2025-01-12' } },
    ])
  })

  test('whose messages have numbers as ids and dates is read completely', () => {
    const parsed = parseConversation({
      id: 'a',
      created_at: 1_700_000_000,
      updated_at: 1_700_000_000_000,
      messages: [{ id: 1, role: 'user', content: 'question', created_at: 1_700_000_000_000 }],
    })
    expect(parsed?.isWhole).toBe(true)
    expect(parsed?.conversation).toMatchObject({
      created_at: '2023-11-14T22:13:20.000Z',
      updated_at: '2023-11-14T22:13:20.000Z',
      messages: [{ id: '1', created_at: '2023-11-14T22:13:20.000Z' }],
    })
  })

  test('whose parts have dates beside the URLs keeps them', () => {
    const content = [
      { type: 'image_url', image_url: 'https://images.example/1.png', created_at: '2025-04-04' },
    ]
    const messages = [{ role: 'user', content }]
    const parsed = parseConversation({ id: 'a', created_at: '2025-01-01', messages })
    expect(parsed?.conversation.messages[0]?.content).toMatchObject([
      { image_url: { url: 'https://images.example/1.png', created_at: '2025-04-04' } },
    ])
  })

  test.each([
    ['a message is no message', { messages: [{ role: 'user', content: 'kept' }, 'not a message'] }],
    [
      'a part is no part',
      { messages: [{ role: 'user', content: [{ type: 'text' }, { type: 'text', text: 'kept' }] }] },
    ],
    ['a receipt is no receipt', { messages: [{ role: 'user', content: 'kept', receipt: 'paid' }] }],
    [
      'a receipt for speech is none',
      { messages: [{ role: 'user', content: 'kept', speech_receipt: { cost_usd: 1 } }] },
    ],
    ['its title is no text', { title: ['a'], messages: [{ role: 'user', content: 'kept' }] }],
  ])('is marked as incomplete when %s, and the rest is kept', (_, fields) => {
    const parsed = parseConversation({ id: 'a', created_at: '2025-01-01', ...fields })
    expect(parsed?.isWhole).toBe(false)
    expect(JSON.stringify(parsed?.conversation.messages)).toContain('kept')
  })
})

test.each<[string, unknown, boolean]>([
  ['temperature', 0, true],
  ['temperature', 2.1, false],
  ['temperature', '0.5', false],
  ['max_tokens', 16, true],
  ['max_tokens', 0.5, false],
  ['reasoning_effort', 'xhigh', true],
  ['reasoning_effort', 'high"', false],
  ['system_prompt', 'x'.repeat(32_000), true],
  ['system_prompt', 'x'.repeat(32_001), false],
])('chat instructions and parameters are limited: %s', (field, value, isKept) => {
  const steered = { id: 'a', created_at: '2026-11-01T00:00:00.000Z', messages: [], [field]: value }
  const parsed = parseConversation(steered)
  expect(parsed?.isWhole).toBe(isKept)
  expect(parsed?.conversation).toEqual(isKept ? steered : { ...steered, [field]: undefined })
})

test('one damaged hidden message does not affect the others', () => {
  const branch = { id: 'b', parent: null, role: 'user', content: 'Why not?' }
  const branches = [branch, null, { ...branch, id: 'c', receipt: 3 }, { ...branch, id: undefined }]
  const created_at = '2026-11-01T00:00:00.000Z'
  const parsed = parseConversation({ id: 'a', created_at, messages: [], branches })
  expect(parsed?.isWhole).toBe(false)
  const repaired = { ...branch, id: 'c' }
  expect(parsed?.conversation.branches).toEqual([branch, repaired])
})
