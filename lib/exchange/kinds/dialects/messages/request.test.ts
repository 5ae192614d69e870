import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { anyCharacter } from '@/test/support/any-character'
import { readChatRequest } from '../../chat/contract'
import { readMessagesRequest } from './contract'
import { messagesToChat } from './request'

const asked = (fields: Record<string, unknown>) => {
  const body = { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }], ...fields }
  return messagesToChat(readMessagesRequest(body).request)
}
const messagesOf = (messages: unknown[]) => asked({ messages }).messages as Record<string, unknown>[]
const PIXEL = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }
const EPHEMERAL = { type: 'ephemeral' }

describe('a Messages request as a chat completion request', () => {
  test('starts with the system prompt and its cache marks', () => {
    expect(asked({ system: 'Be brief.' }).messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ])
    const system = [
      { type: 'text', text: 'A' },
      { type: 'text', text: 'B', cache_control: EPHEMERAL },
    ]
    expect(asked({ system }).messages).toEqual([
      { role: 'system', content: system },
      { role: 'user', content: 'Hi' },
    ])
  })

  test('keeps pictures and documents', () => {
    const content = [
      { type: 'image', source: PIXEL, cache_control: EPHEMERAL },
      { type: 'image', source: { type: 'url', url: 'https://pictures.example/a.png' } },
      {
        type: 'document',
        title: 'T',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
      },
      { type: 'document', title: 'Notes', context: 'Of May', source: { type: 'text', data: 'Rain.' } },
      { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'Snow.' }] } },
      {
        type: 'search_result',
        title: 'W',
        source: 'https://w.example',
        content: [{ type: 'text', text: 'Sun.' }],
      },
    ]
    expect(messagesOf([{ role: 'user', content }])[0]?.content).toEqual([
      {
        type: 'image_url',
        image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' },
        cache_control: EPHEMERAL,
      },
      { type: 'image_url', image_url: { url: 'https://pictures.example/a.png' } },
      { type: 'file', file: { filename: 'T', file_data: 'data:application/pdf;base64,JVBERi0=' } },
      { type: 'text', text: 'Notes\nOf May\n\nRain.' },
      { type: 'text', text: 'Snow.' },
      { type: 'text', text: 'W\nhttps://w.example\n\nSun.' },
    ])
  })

  test('puts tool results before other content, and their pictures after them', () => {
    const result = [
      { type: 'text', text: 'Seen:' },
      { type: 'image', source: PIXEL },
    ]
    const messages = messagesOf([
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: { at: 1 } }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: result },
          { type: 'tool_result', tool_use_id: 'b', content: 'No such file', is_error: true },
          { type: 'tool_result', tool_use_id: 'c' },
          { type: 'text', text: 'Well?' },
        ],
      },
    ])
    expect(messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'Seen:' },
      {
        role: 'tool',
        tool_call_id: 'b',
        content: [
          { type: 'text', text: 'The tool call failed:' },
          { type: 'text', text: 'No such file' },
        ],
      },
      { role: 'tool', tool_call_id: 'c', content: '' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'From the result of tool call a:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
          { type: 'text', text: 'Well?' },
        ],
      },
    ])
  })

  test('names the tools that a search for tools has found', () => {
    const content = [
      { type: 'tool_reference', tool_name: 'WebFetch' },
      { type: 'tool_reference', tool_name: 'TodoWrite', cache_control: EPHEMERAL },
    ]
    const found = messagesOf([
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content }] },
    ])
    expect(found).toEqual([
      {
        role: 'tool',
        tool_call_id: 'a',
        content: [
          { type: 'text', text: 'The tool WebFetch can be called now.' },
          { type: 'text', text: 'The tool TodoWrite can be called now.', cache_control: EPHEMERAL },
        ],
      },
    ])
  })

  test('restores signed thinking, and drops unsigned thinking', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'ZGF0YQ==' },
      { type: 'thinking', thinking: 'Unsigned.', signature: '' },
      { type: 'text', text: 'Yes.' },
    ]
    expect(
      messagesOf([
        { role: 'user', content: '?' },
        { role: 'assistant', content },
      ])[1],
    ).toEqual({
      role: 'assistant',
      content: 'Yes.',
      reasoning_details: [
        { type: 'reasoning.text', text: 'Hm.', signature: 'c2ln', format: 'anthropic-claude-v1' },
        { type: 'reasoning.encrypted', data: 'ZGF0YQ==', format: 'anthropic-claude-v1' },
      ],
    })
  })

  test.each<[Record<string, unknown>, Record<string, unknown>]>([
    [{ stop_sequences: ['END'] }, { stop: ['END'] }],
    [{ thinking: { type: 'enabled', budget_tokens: 2_000 } }, { reasoning: { max_tokens: 2_000 } }],
    [{ thinking: { type: 'adaptive' } }, { reasoning: { enabled: true } }],
    [{ output_config: { effort: 'low' } }, { verbosity: 'low' }],
    [{ metadata: { user_id: 'ann' } }, { user: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    [{ tool_choice: { type: 'any' } }, { tool_choice: 'required' }],
    [{ tool_choice: { type: 'none' } }, { tool_choice: 'none' }],
    [
      { tool_choice: { type: 'tool', name: 'add', disable_parallel_tool_use: true } },
      { tool_choice: { type: 'function', function: { name: 'add' } }, parallel_tool_calls: false },
    ],
    [
      {
        tools: [
          { name: 'add', description: 'Adds', input_schema: { type: 'object' }, cache_control: EPHEMERAL },
        ],
      },
      {
        tools: [
          {
            type: 'function',
            function: { name: 'add', description: 'Adds', parameters: { type: 'object' } },
            cache_control: EPHEMERAL,
          },
        ],
      },
    ],
    [
      { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'answer', strict: true, schema: { type: 'object' } },
        },
      },
    ],
    [{ thinking: { type: 'disabled' }, service_tier: 'auto', stop_sequences: [] }, {}],
  ])('turns %j into %j', (fields, chat) => {
    expect(asked(fields)).toEqual({
      model: 'm',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hi' }],
      ...chat,
    })
  })

  test.each<[string, Record<string, unknown>]>([
    ['tools', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    ['mcp_servers', { mcp_servers: [{ url: 'https://tools.example' }] }],
    ['speed', { speed: 'fast' }],
    ['max_tokens', { max_tokens: 0 }],
    ['messages', { messages: [{ role: 'user', content: [{ type: 'container_upload', file_id: 'f' }] }] }],
    [
      'messages',
      { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }] }] },
    ],
  ])('names %s where it is refused', (param, fields) => {
    expect(() => asked(fields)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(param) }),
    )
  })

  test('keeps every text, tool call and picture of a conversation in its order', () => {
    fc.assert(
      fc.property(conversation, messages => {
        const chat = asked({ messages })
        expect(readChatRequest(chat).ignoredFields).toEqual([])
        expect(chatMarks(chat.messages as ChatMessage[])).toEqual(messages.flatMap(marksOf))
      }),
      { numRuns: 300 },
    )
  })
})

type ChatMessage = { content?: unknown; tool_calls?: { function: { arguments: string } }[] }
type Block = Record<string, unknown> & { type: string }

const text = fc.record({ type: fc.constant('text'), text: fc.string({ unit: anyCharacter, minLength: 1 }) })
const image = fc.record({
  type: fc.constant('image'),
  source: fc.record({ type: fc.constant('url'), url: fc.uuid().map(id => `https://pictures.example/${id}`) }),
})
const call = fc.record({
  type: fc.constant('tool_use'),
  id: fc.uuid(),
  name: fc.constant('note'),
  input: fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue(), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
})
const result = fc.record({
  type: fc.constant('tool_result'),
  tool_use_id: fc.uuid(),
  content: fc.array(fc.oneof(text, image), { maxLength: 3 }),
})
const conversation = fc.array(
  fc.oneof(
    fc.record({
      role: fc.constant('assistant'),
      // Calls stand behind words, as models write them.
      content: fc
        .tuple(fc.array(text, { maxLength: 3 }), fc.array(call, { maxLength: 3 }))
        .map(parts => parts.flat()),
    }),
    fc.record({
      role: fc.constant('user'),
      content: fc
        .tuple(fc.array(result, { maxLength: 3 }), fc.array(fc.oneof(text, image), { maxLength: 4 }))
        .map(parts => parts.flat()),
    }),
  ),
  { minLength: 1, maxLength: 6 },
)

/** What a conversation says, in the order in which it shall arrive. */
function marksOf({ content }: { content: Block[] }): unknown[] {
  const results = content.filter(({ type }) => type === 'tool_result')
  const inner = results.flatMap(({ content }) => content as Block[])
  return [
    ...inner.filter(({ type }) => type === 'text').map(markOf),
    ...inner.filter(({ type }) => type === 'image').map(markOf),
    ...content.filter(({ type }) => type !== 'tool_result').map(markOf),
  ]
}

function markOf(block: Block): unknown {
  if (block.type === 'text') return block.text
  return block.type === 'image' ? (block.source as { url: string }).url : JSON.stringify(block.input)
}

function chatMarks(messages: readonly ChatMessage[]): unknown[] {
  return messages.flatMap(({ content, tool_calls: calls }) => [
    ...(typeof content === 'string'
      ? [content].filter(said => said !== '')
      : ((content as Block[] | null) ?? [])
          .map(part => (part.type === 'text' ? part.text : (part.image_url as { url: string }).url))
          .filter(said => !String(said).startsWith('From the result of tool call '))),
    ...(calls ?? []).map(({ function: called }) => called.arguments),
  ])
}
