import { describe, expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { ask, complete } from '@/test/support/exchange-calls'
import { parseEvents, readAll } from '@/test/support/exchange-replies'
import { createCustomer, onlyUsage, startSite } from '@/test/support/exchange-site'
import { useStandInUpstream } from '@/test/support/stand-in-upstream'
import { completionToChat, readCompletionRequest } from './contract'

const text = { model: 'm', prompt: 'Say hello.' }

describe('a request for a text completion', () => {
  test.each<[object, string]>([
    [{ prompt: undefined }, 'prompt'],
    [{ prompt: '' }, 'prompt'],
    [{ prompt: ['a', 'b'] }, 'prompt'],
    [{ prompt: [1, 2, 3] }, 'prompt'],
    [{ prompt: [[1]] }, 'prompt.0'],
    [{ best_of: 3 }, 'best_of'],
    [{ echo: true }, 'echo'],
    [{ suffix: '}' }, 'suffix'],
    [{ logprobs: 0 }, 'logprobs'],
    [{ n: 129 }, 'n'],
    [{ models: ['dear'] }, 'models'],
    [{ provider: { only: ['dear'] } }, 'provider'],
    [{ service_tier: 'priority' }, 'service_tier'],
  ])('with %j is refused', (fields, param) => {
    const read = () => readCompletionRequest({ ...text, ...fields })
    expect(read).toThrow(expect.objectContaining({ status: 400, param }))
  })

  test('becomes one user message, and unknown fields are dropped and reported', () => {
    const body = {
      ...text,
      prompt: ['Say hello.'],
      best_of: 1,
      echo: false,
      suffix: '',
      odd: 1,
    }
    const { request, ignoredFields } = readCompletionRequest({ ...body, max_tokens: 9, stop: ['\n'] })
    const messages = [{ role: 'user', content: 'Say hello.' }]
    expect(completionToChat(request)).toEqual({ model: 'm', messages, max_tokens: 9, stop: ['\n'] })
    expect(ignoredFields).toEqual(['odd'])
  })
})

describeOnPostgres('a text completion', getDatabase => {
  const steps = [
    { type: 'reasoning' as const, text: 'Hm.' },
    { type: 'text' as const, text: 'Hi ', times: 2 },
    { type: 'part' as const, text: 'there' },
  ]
  const upstream = useStandInUpstream({ chat: { steps, promptTokens: 10 } })
  const site = () => startSite({ database: getDatabase(), upstream })

  test('costs the same as the same chat, streamed or not', async () => {
    const running = site()
    const charges: bigint[] = []
    for (const [way, stream] of [
      [complete, true],
      [complete, false],
      [ask, true],
    ] as const) {
      const customer = await createCustomer(running.ledger, 1)
      await readAll(await way(running, customer, { body: { stream } }))
      const { chargedNano, inputTokenCount } = await onlyUsage(running.ledger, customer)
      expect(inputTokenCount).toBe(10)
      charges.push(chargedNano)
    }
    expect(new Set(charges).size).toBe(1)
  })

  test('has the shape of text completions, one id, and its cost at the end', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const events = parseEvents(await readAll(await complete(running, customer)))
    expect(events.at(-1)).toEqual({ done: true })
    const chunks = events.slice(0, -1) as Record<string, { text: string; finish_reason: string | null }[]>[]
    expect(new Set(chunks.map(({ id, object }) => `${id} ${object}`)).size).toBe(1)
    expect(
      chunks
        .flatMap(({ choices }) => choices ?? [])
        .map(({ text: piece }) => piece)
        .join(''),
    ).toBe('Hi Hi there')
    expect(chunks.at(-2)?.choices).toEqual([{ index: 0, text: '', logprobs: null, finish_reason: 'stop' }])
    expect(chunks.at(-1)).toMatchObject({
      choices: [{ index: 0, text: '', logprobs: null, finish_reason: null }],
      usage: { prompt_tokens: 10, balance_usd: expect.any(Number) },
    })
  })

  test('that breaks off ends with its cost and the error', async () => {
    upstream.setScript({ chat: { steps: [{ type: 'text', text: 'Hi' }, { type: 'destroy' }] } })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const events = parseEvents(await readAll(await complete(running, customer)))
    expect(events.slice(-2)).toEqual([
      expect.objectContaining({ usage: expect.objectContaining({ estimated: true }) }),
      { error: expect.objectContaining({ code: 'upstream_error' }) },
    ])
  })
})
