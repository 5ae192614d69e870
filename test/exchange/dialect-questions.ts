import { expect } from '@jest/globals'
import { sealThought } from '@/lib/exchange/kinds/dialects/thoughts'
import { LONG_PROMPT } from './steps'

const TOOL = { name: 'note', schema: { type: 'object' } }
/** A question in each dialect besides chat completions, and what is particular to it. */
export const DIALECTS = [
  {
    name: 'Messages',
    path: '/v1/messages',
    question: {
      messages: [{ role: 'user', content: LONG_PROMPT }],
      max_tokens: 900,
      tools: [{ name: TOOL.name, input_schema: TOOL.schema }],
    },
    thinking: { thinking: { type: 'enabled', budget_tokens: 800 } },
    marked: {
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
            { type: 'text', text: 'Yes?' },
          ],
        },
        { role: 'user', content: LONG_PROMPT },
      ],
    },
    passed: {
      limit: 'max_tokens',
      fields: {
        system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
        metadata: { user_id: 'anna@example.org' },
        stop_sequences: ['END'],
      },
      sent: {
        system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
        messages: [{ role: 'user', content: LONG_PROMPT }],
        tools: [{ name: TOOL.name, input_schema: TOOL.schema }],
        stop_sequences: ['END'],
        metadata: { user_id: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
      event: 'event: ping\ndata: {"type":"ping"}\n\n',
    },
    costIn: (body: Record<string, never>) => body.usage,
    lastEvent: 'message_stop',
    shortage: { type: 'error', error: { type: 'billing_error', code: 'insufficient_credit' } },
  },
  {
    name: 'Responses',
    path: '/v1/responses',
    question: {
      input: [{ role: 'user', content: LONG_PROMPT }],
      max_output_tokens: 900,
      tools: [{ type: 'function', name: TOOL.name, parameters: TOOL.schema }],
    },
    thinking: { reasoning: { effort: 'high' } },
    marked: {
      input: [
        {
          type: 'reasoning',
          summary: [],
          encrypted_content: sealThought({ type: 'reasoning.encrypted', data: 'x' }),
        },
        { role: 'assistant', content: 'Yes?' },
        { role: 'user', content: LONG_PROMPT },
      ],
    },
    passed: {
      limit: 'max_output_tokens',
      fields: {
        include: ['reasoning.encrypted_content'],
        reasoning: { summary: 'auto' },
        tools: [{ type: 'web_search' }, { type: 'custom', name: 'patch' }],
      },
      sent: {
        include: ['reasoning.encrypted_content'],
        reasoning: { summary: 'auto' },
        tools: [{ type: 'custom', name: 'patch' }],
        input: [{ role: 'user', content: LONG_PROMPT }],
        store: false,
      },
      event: '"type":"response.output_item.added"',
    },
    costIn: (body: Record<string, never>) => (body.response ?? body).usage,
    lastEvent: 'response.completed',
    shortage: { error: { type: 'insufficient_quota', code: 'insufficient_credit' } },
  },
]
