import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { anyCharacter } from '@/test/support/any-character'
import { readChatRequest } from '../../chat/contract'
import { sealThought } from '../thoughts'
import { readResponsesRequest } from './contract'
import { responsesToChat } from './request'
import { RESPONSES } from './responses'

const asked = (fields: Record<string, unknown>) =>
  responsesToChat(readResponsesRequest({ model: 'm', input: 'Hi', ...fields }).request)
const messagesOf = (input: unknown[], fields: Record<string, unknown> = {}) =>
  asked({ ...fields, input }).messages
const said = (role: string, text: string) => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
})
const PIXEL = 'data:image/png;base64,iVBORw0KGgo='

describe('a Responses request as a chat completion request', () => {
  test('joins all instructions at its start into one message', () => {
    const input = [
      said('developer', 'Be kind.'),
      { role: 'user', content: 'Hi' },
      said('developer', 'Be short.'),
    ]
    expect(messagesOf(input, { instructions: 'Be brief.' })).toEqual([
      { role: 'system', content: 'Be brief.\n\nBe kind.' },
      { role: 'user', content: 'Hi' },
      { role: 'system', content: 'Be short.' },
    ])
  })

  test('leaves instructions in place that have more than text', () => {
    const picture = { type: 'input_image', image_url: PIXEL }
    const sound = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }
    const file = { type: 'input_file', filename: 'a.pdf', file_data: PIXEL }
    const rules = {
      role: 'developer',
      content: [{ type: 'input_text', text: 'As here:' }, picture, sound, file],
    }
    expect(messagesOf([said('developer', 'Be kind.'), rules, said('developer', 'Be short.')])).toEqual([
      { role: 'system', content: 'Be kind.' },
      {
        role: 'system',
        content: [
          { type: 'text', text: 'As here:' },
          { type: 'image_url', image_url: { url: PIXEL } },
          sound,
          { type: 'file', file: { filename: 'a.pdf', file_data: PIXEL } },
        ],
      },
      { role: 'system', content: 'Be short.' },
    ])
  })

  test('joins the items of one answer into one message, with its reasoning', () => {
    const thought = { type: 'reasoning.summary', summary: 'Hm', format: 'openai-responses-v1', id: 'rs_1' }
    const input = [
      said('user', 'Add.'),
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'Hm' }],
        encrypted_content: sealThought(thought),
      },
      { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'of another host' },
      said('assistant', 'I add.'),
      {
        type: 'function_call',
        id: 'fc_1',
        call_id: 'a',
        name: 'add',
        arguments: '{"a":1}',
        status: 'completed',
      },
      { type: 'function_call', call_id: 'b', name: 'spawn', namespace: 'agents', arguments: '{}' },
      { type: 'custom_tool_call', call_id: 'c', name: 'apply_patch', input: '*** Begin' },
      { type: 'function_call_output', call_id: 'a', output: '2' },
      {
        type: 'function_call_output',
        call_id: 'b',
        output: [
          { type: 'input_text', text: 'See' },
          { type: 'input_image', image_url: PIXEL },
        ],
      },
      { type: 'custom_tool_call_output', call_id: 'c', output: 'Done' },
      said('user', 'Thanks.'),
    ]
    expect(messagesOf(input)).toEqual([
      { role: 'user', content: 'Add.' },
      {
        role: 'assistant',
        content: 'I add.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'add', arguments: '{"a":1}' } },
          { id: 'b', type: 'function', function: { name: 'agents__spawn', arguments: '{}' } },
          {
            id: 'c',
            type: 'function',
            function: { name: 'apply_patch', arguments: '{"input":"*** Begin"}' },
          },
        ],
        reasoning_details: [thought],
      },
      { role: 'tool', tool_call_id: 'a', content: '2' },
      { role: 'tool', tool_call_id: 'b', content: 'See' },
      { role: 'tool', tool_call_id: 'c', content: 'Done' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'From the result of tool call b:' },
          { type: 'image_url', image_url: { url: PIXEL } },
        ],
      },
      { role: 'user', content: 'Thanks.' },
    ])
  })

  test('keeps pictures, files and sound', () => {
    const content = [
      { type: 'input_image', image_url: PIXEL, detail: 'low' },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
    ]
    expect(messagesOf([{ role: 'user', content }])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: PIXEL, detail: 'low' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
          { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
        ],
      },
    ])
  })

  test.each<[Record<string, unknown>, Record<string, unknown>]>([
    [{ max_output_tokens: 50, store: false, include: ['reasoning.encrypted_content'] }, { max_tokens: 50 }],
    [{ reasoning: { effort: 'low', summary: 'auto' } }, { reasoning: { effort: 'low' } }],
    [{ reasoning: { summary: 'auto' } }, {}],
    [
      { text: { format: { type: 'json_object' }, verbosity: 'low' } },
      { response_format: { type: 'json_object' }, verbosity: 'low' },
    ],
    [
      { text: { format: { type: 'json_schema', name: 'a', schema: { type: 'object' }, strict: true } } },
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'a', schema: { type: 'object' }, strict: true },
        },
      },
    ],
    [
      {
        tools: [
          { type: 'function', name: 'add', parameters: { type: 'object' }, strict: false },
          { type: 'web_search' },
        ],
        tool_choice: { type: 'function', name: 'add' },
        parallel_tool_calls: false,
      },
      {
        tools: [
          { type: 'function', function: { name: 'add', parameters: { type: 'object' }, strict: false } },
        ],
        tool_choice: { type: 'function', function: { name: 'add' } },
        parallel_tool_calls: false,
      },
    ],
  ])('turns %j into %j', (fields, chat) => {
    expect(asked(fields)).toEqual({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...chat })
  })

  test('turns custom tools into functions, and describes their grammar', () => {
    const tool = {
      type: 'custom',
      name: 'apply_patch',
      description: 'Edits.',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
    }
    expect(asked({ tools: [tool] }).tools).toEqual([
      {
        type: 'function',
        function: {
          name: 'apply_patch',
          description: 'Edits.\n\nThe input follows this grammar:\nstart: "x"',
          parameters: expect.objectContaining({ required: ['input'] }),
        },
      },
    ])
  })

  test('collects tools that are defined in the input, named with their namespace', () => {
    const wait = { type: 'function', name: 'wait', parameters: { type: 'object' } }
    const group = {
      type: 'namespace',
      name: 'functions',
      description: '',
      tools: [{ type: 'custom', name: 'exec' }, wait],
    }
    const input = [
      { type: 'additional_tools', id: 'at_1', role: 'developer', tools: [group] },
      said('developer', 'Be brief.'),
      said('user', 'Run it.'),
      { type: 'custom_tool_call', call_id: 'a', namespace: 'functions', name: 'exec', input: 'run()' },
    ]
    const { tools, messages } = asked({ input })
    expect(tools).toMatchObject([
      { function: { name: 'functions__exec' } },
      { function: { name: 'functions__wait' } },
    ])
    expect(messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Run it.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'a',
            type: 'function',
            function: { name: 'functions__exec', arguments: '{"input":"run()"}' },
          },
        ],
      },
    ])
  })

  test.each<[string, Record<string, unknown>]>([
    ['store', { store: true }],
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['conversation', { conversation: 'conv_1' }],
    ['background', { background: true }],
    ['tools', { tools: [{ type: 'file_search', vector_store_ids: [] }] }],
    ['tool_choice', { tool_choice: { type: 'web_search' } }],
    ['input', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['input', { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }] }],
    ['input', { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] }],
    ['input', { input: [{ role: 'user', content: [{ type: 'input_file', file_data: '' }] }] }],
  ])('names %s where it is refused', (param, fields) => {
    expect(() => asked(fields)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        message: expect.stringMatching(new RegExp(`^${param}.*: .{20}`)),
      }),
    )
  })

  test('refuses references to stored responses, and says what to send instead', () => {
    // The second step of a Vercel AI SDK agent, unless it is told not to rely on what OpenAI keeps.
    const input = [
      { role: 'user', content: [{ type: 'input_text', text: '1+2?' }] },
      { type: 'item_reference', id: 'fc_1' },
      { type: 'function_call_output', call_id: 'call_1', output: '3' },
    ]
    expect(() => asked({ input })).toThrow(/^input\.1\.id .*nothing is stored.*store to false/)
  })

  test('drops references to stored reasoning, and reports them', () => {
    // The same of a model that thinks, whose calls newer versions send whole.
    const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'add', arguments: '{}' }
    const result = { type: 'function_call_output', call_id: 'call_1', output: '3' }
    const question = { role: 'user', content: [{ type: 'input_text', text: '1+2?' }] }
    const reference = { type: 'item_reference', id: 'rs_1' }
    const input = [question, reference, call, result]
    const read = RESPONSES.read({ model: 'm', input })
    expect(read.chat).toEqual(asked({ input: [question, call, result] }))
    expect(read.native?.body(read.chat).input).toMatchObject([question, call, result])
    expect(read.ignoredFields).toEqual(['input.item_reference'])
  })

  test('keeps every picture, sound and file that a native request would have', () => {
    const part = fc.constantFrom(
      { type: 'input_text', text: 'Look.' },
      { type: 'input_image', image_url: PIXEL },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'input_file', file_url: 'https://example.com/a.pdf' },
    )
    const content = fc.array(part, { maxLength: 3 })
    const item = fc.oneof(
      fc.record({ role: fc.constantFrom('user', 'assistant', 'system', 'developer'), content }),
      fc.record({ type: fc.constant('function_call_output'), call_id: fc.uuid(), output: content }),
    )
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 6 }), input => {
        const { chat, native } = RESPONSES.read({ model: 'm', instructions: 'Be brief.', input })
        const kinds = (question: unknown) =>
          (
            JSON.stringify(question).match(
              /"(image_url|input_image|input_audio|file|input_file)"(?=[,}])/g,
            ) ?? []
          )
            .map(kind => kind.replace('input_image', 'image_url').replace('input_file', 'file'))
            .sort()
        expect(kinds(chat.messages)).toEqual(kinds(native?.body(chat).input))
      }),
    )
  })

  test('keeps every text, tool call and result of a conversation in its order', () => {
    const text = fc.string({ unit: anyCharacter, minLength: 1 })
    const item = fc.oneof(
      fc.record({ role: fc.constantFrom('user', 'assistant', 'developer'), content: text }),
      fc.record({
        type: fc.constant('function_call'),
        call_id: fc.uuid(),
        name: fc.constant('f'),
        arguments: text,
      }),
      fc.record({ type: fc.constant('function_call_output'), call_id: fc.uuid(), output: text }),
    )
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 12 }), items => {
        const input = [{ role: 'user', content: 'begin' }, ...items]
        const chat = asked({ input })
        expect(readChatRequest(chat).ignoredFields).toEqual([])
        const messages = chat.messages as {
          role: string
          content: unknown
          tool_calls?: { function: { arguments: string } }[]
        }[]
        const told = messages.flatMap(({ role, content, tool_calls: calls = [] }) => {
          const parts = Array.isArray(content) ? content.map(({ text }) => text) : content ? [content] : []
          return [...parts.map(part => [role, part]), ...calls.map(call => ['call', call.function.arguments])]
        })
        const expected = input.map(each => {
          if ('arguments' in each) return ['call', each.arguments]
          if ('output' in each) return ['tool', each.output]
          return [each.role === 'developer' ? 'system' : each.role, each.content]
        })
        // Of one turn of the model, words stand before calls.
        const byTurn = (marks: unknown[][]) => {
          const turns: unknown[][][] = [[]]
          for (const mark of marks) {
            if (mark[0] === 'assistant' || mark[0] === 'call') turns.at(-1)?.push(mark)
            else turns.push([mark], [])
          }
          return turns.flatMap(turn => [
            ...turn.filter(([kind]) => kind !== 'call'),
            ...turn.filter(([kind]) => kind === 'call'),
          ])
        }
        expect(byTurn(told)).toEqual(byTurn(expected))
      }),
      { numRuns: 300 },
    )
  })
})
