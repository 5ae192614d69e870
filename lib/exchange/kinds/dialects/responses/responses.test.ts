import { expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { STAND_IN_MODELS, standInModel } from '@/test/stand-ins/upstream-models'
import { ask, askInResponses } from '@/test/support/exchange-calls'
import { parseEvents, readAll, usageOf } from '@/test/support/exchange-replies'
import { createCustomer, onlyUsage, startSite } from '@/test/support/exchange-site'
import { useStandInUpstream } from '@/test/support/stand-in-upstream'

const STEPS = [
  { type: 'reasoning' as const, text: 'Let me see.' },
  { type: 'text' as const, text: 'Hi ', times: 2 },
  { type: 'tool_call' as const, index: 0, id: 'call_1', name: 'add', arguments: '{"a":' },
  { type: 'tool_call' as const, index: 0, arguments: '1}' },
  {
    type: 'tool_call' as const,
    index: 1,
    id: 'call_2',
    name: 'apply_patch',
    arguments: '{"input":"*** Begin\\n"}',
  },
]
const GROUP = { type: 'namespace', name: 'functions', tools: [{ type: 'custom', name: 'exec' }] }
const TOOLS = [
  { type: 'function', name: 'add', parameters: { type: 'object' } },
  { type: 'custom', name: 'apply_patch' },
]
const OUTPUT = [
  {
    type: 'reasoning',
    id: expect.stringMatching(/^rs_\w+_0$/),
    summary: [{ type: 'summary_text', text: 'Let me see.' }],
  },
  {
    type: 'message',
    id: expect.stringMatching(/^msg_\w+_1$/),
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'Hi Hi ', annotations: [], logprobs: [] }],
  },
  {
    type: 'function_call',
    id: expect.stringMatching(/^fc_\w+_2$/),
    call_id: 'call_1',
    name: 'add',
    arguments: '{"a":1}',
    status: 'completed',
  },
  {
    type: 'custom_tool_call',
    call_id: 'call_2',
    name: 'apply_patch',
    input: '*** Begin\n',
    status: 'completed',
  },
]
const USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: expect.any(Number),
  output_tokens_details: { reasoning_tokens: expect.any(Number) },
  total_tokens: expect.any(Number),
  cost: expect.any(Number),
  balance_usd: expect.any(Number),
}

describeOnPostgres('an answer as OpenAI Responses', getDatabase => {
  const upstream = useStandInUpstream({ chat: { steps: STEPS, promptTokens: 100, cachedTokens: 4 } })
  const site = () => startSite({ database: getDatabase(), upstream })

  test('is streamed as the events of Responses in their order, and ends with the whole response', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const events = parseEvents(
      await readAll(await askInResponses(running, customer, { body: { tools: TOOLS } })),
    )
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
    expect(events.map(({ type, output_index: at }) => (at === undefined ? type : `${type} ${at}`))).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added 0',
      'response.reasoning_summary_part.added 0',
      'response.reasoning_summary_text.delta 0',
      'response.reasoning_summary_text.done 0',
      'response.reasoning_summary_part.done 0',
      'response.output_item.done 0',
      'response.output_item.added 1',
      'response.content_part.added 1',
      'response.output_text.delta 1',
      'response.output_text.delta 1',
      'response.output_text.done 1',
      'response.content_part.done 1',
      'response.output_item.done 1',
      'response.output_item.added 2',
      'response.function_call_arguments.delta 2',
      'response.function_call_arguments.delta 2',
      'response.function_call_arguments.done 2',
      'response.output_item.done 2',
      'response.output_item.added 3',
      'response.custom_tool_call_input.delta 3',
      'response.custom_tool_call_input.done 3',
      'response.output_item.done 3',
      'response.completed',
    ])
    const last = events.at(-1)?.response as { id: string; output: { id: string }[] }
    expect(last).toMatchObject({
      object: 'response',
      status: 'completed',
      store: false,
      output: OUTPUT,
      usage: USAGE,
    })
    expect(events[0]?.response).toMatchObject({ id: last.id, status: 'in_progress', output: [] })
    // OpenRouter's own client reads no response without these fields.
    const read = { frequency_penalty: null, presence_penalty: null }
    expect(events[0]?.response).toMatchObject({ ...read, completed_at: null })
    expect(last).toMatchObject({ ...read, completed_at: expect.any(Number) })
    const done = events.filter(({ type }) => type === 'response.output_item.done')
    expect(done.map(({ item }) => item)).toEqual(last.output)
    for (const event of events.filter(({ item_id }) => item_id !== undefined))
      expect(event.item_id).toBe(last.output[Number(event.output_index)]?.id)
  })

  test('that refuses is streamed as a refusal', async () => {
    const choices = [{ index: 0, delta: { content: [{ type: 'refusal', refusal: 'No.' }] } }]
    upstream.setScript({ chat: { steps: [{ type: 'event', data: { id: 'gen-1', choices } }] } })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const events = parseEvents(await readAll(await askInResponses(running, customer)))
    expect(events.slice(2).map(({ type, delta, refusal }) => [type, delta ?? refusal])).toEqual([
      ['response.output_item.added', undefined],
      ['response.content_part.added', undefined],
      ['response.refusal.delta', 'No.'],
      ['response.refusal.done', 'No.'],
      ['response.content_part.done', undefined],
      ['response.output_item.done', undefined],
      ['response.completed', undefined],
    ])
    expect(events.at(-1)?.response).toMatchObject({
      output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] }],
    })
  })

  test('without streaming has the same content', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const body = { stream: false, tools: TOOLS }
    expect(JSON.parse(await readAll(await askInResponses(running, customer, { body })))).toMatchObject({
      id: expect.stringMatching(/^resp_\w+$/),
      object: 'response',
      status: 'completed',
      completed_at: expect.any(Number),
      error: null,
      output: OUTPUT,
      usage: USAGE,
    })
  })

  test('is found for an OpenAI model named without its maker', async () => {
    upstream.setModels([standInModel({ id: 'openai/gpt-5.1', prompt: '0.000001', completion: '0.000002' })])
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    await readAll(await askInResponses(running, customer, { body: { model: 'gpt-5.1' } }))
    expect(await onlyUsage(running.ledger, customer)).toMatchObject({ modelId: 'openai/gpt-5.1' })
    upstream.setModels(STAND_IN_MODELS)
  })

  test('that ran out of tokens is incomplete', async () => {
    upstream.setScript({ chat: { steps: [{ type: 'text', text: 'Hi' }], finishReason: 'length' } })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    expect(parseEvents(await readAll(await askInResponses(running, customer))).at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: {
        status: 'incomplete',
        completed_at: null,
        incomplete_details: { reason: 'max_output_tokens' },
      },
    })
  })

  test('that breaks off has the status failed and its cost', async () => {
    upstream.setScript({ chat: { steps: [{ type: 'text', text: 'Hi ' }, { type: 'destroy' }] } })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const events = parseEvents(await readAll(await askInResponses(running, customer)))
    const { chargedNano } = await onlyUsage(running.ledger, customer)
    expect(chargedNano).toBeGreaterThan(0n)
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: {
        status: 'failed',
        error: {
          code: 'upstream_error',
          message: 'The connection to the model ended before its answer was complete.',
        },
        usage: { cost: Number(chargedNano) / 1e9 },
      },
    })
  })

  test('names the namespace of a called tool', async () => {
    const call = {
      type: 'tool_call' as const,
      id: 'a',
      name: 'functions__exec',
      arguments: '{"input":"run()"}',
    }
    upstream.setScript({ chat: { steps: [call] } })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const reply = await askInResponses(running, customer, { body: { stream: false, tools: [GROUP] } })
    expect(JSON.parse(await readAll(reply)).output).toMatchObject([
      { type: 'custom_tool_call', call_id: 'a', namespace: 'functions', name: 'exec', input: 'run()' },
    ])
  })

  test('drops hosted tools, and reports them', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const tools = [{ type: 'web_search', external_web_access: false }]
    const reply = await askInResponses(running, customer, { body: { tools, truncation: 'auto' } })
    expect(reply.headers['x-ignored-fields']).toBe('truncation, tools.web_search')
    await readAll(reply)
    expect((await upstream.requestTo('/chat/completions')).body).not.toHaveProperty('tools')
  })

  test('to a request on the chat route is a chat completion', async () => {
    upstream.setScript({ chat: { steps: [{ type: 'text', text: 'Hi' }] } })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const input = [{ role: 'user', content: [{ type: 'input_text', text: 'Say hello.' }] }]
    const body = { messages: undefined, input, tools: TOOLS, max_output_tokens: 20, metadata: {} }
    const reply = await ask(running, customer, { body })
    expect(reply.headers['x-ignored-fields']).toBe('metadata')
    expect(usageOf(await readAll(reply))).toMatchObject({ completion_tokens: 1, cost: expect.any(Number) })
    expect((await upstream.requestTo('/chat/completions')).body).toMatchObject({
      messages: [{ role: 'user', content: 'Say hello.' }],
      max_tokens: 20,
      tools: [{ function: { name: 'add' } }, { function: { name: 'apply_patch' } }],
    })
  })
})
