import { describe, expect, test } from '@jest/globals'
import { billedUpstream, itemsOf, THREE_WORDS } from './upstream-bill-testing'
import type { Answer, Step } from './upstream-script'

const { running, ask, billOf, billedUsd, leaveAt } = billedUpstream()

describe('a billed whole answer', () => {
  test('is billed by its input and output, whatever usage it reports', async () => {
    const lies = {
      usage: { mode: 'value', value: { prompt_tokens: 790_000, completion_tokens: 0 } },
    } as const
    for (const answer of [
      {},
      lies,
      { promptTokens: 1, costUsd: 99 },
      { usage: { mode: 'absent' } as const },
    ]) {
      running().forget()
      expect(await billOf({}, { steps: THREE_WORDS, ...answer })).toEqual({
        'prompt tokens': 5,
        'output tokens': 3,
      })
      expect(billedUsd()).toBe(0.035)
    }
  })

  test('reports the billed cost when scripted to', async () => {
    running().setScript({ chat: { steps: THREE_WORDS, costUsd: 'billed' } })
    expect(await (await ask()).json()).toMatchObject({ usage: { cost: 0.035, prompt_tokens: 5 } })
  })

  test('with the operator’s own key reports the fee, and the key’s bill in its details', async () => {
    running().setScript({ chat: { steps: THREE_WORDS, costUsd: 'billed', byok: true } })
    const { usage } = await (await ask()).json()
    expect(usage.is_byok).toBe(true)
    expect(usage.cost).toBeLessThan(0.002)
    expect(usage.cost + usage.cost_details.upstream_inference_cost).toBeCloseTo(0.035, 12)
  })

  test('that breaks off is not billed', async () => {
    running().setScript({ chat: { steps: [...THREE_WORDS, { type: 'destroy' }] } })
    await expect(ask()).rejects.toThrow()
    expect(running().bills().bills).toEqual([])
  })

  test('is billed whole when its client leaves', async () => {
    running().setScript({ chat: { steps: [{ type: 'gate', name: 'mid' }, ...THREE_WORDS] } })
    await leaveAt('mid')
    expect(itemsOf(running())).toEqual({ 'prompt tokens': 5, 'output tokens': 3 })
  })
})

describe('a billed stream', () => {
  const stream = { stream: true }
  const halfway: Step[] = [...THREE_WORDS, { type: 'gate', name: 'mid' }, ...THREE_WORDS]

  test('is billed up to the point where its client left', async () => {
    running().setScript({ chat: { steps: halfway } })
    await leaveAt('mid', stream)
    expect(itemsOf(running())).toEqual({ 'prompt tokens': 5, 'output tokens': 3 })
  })

  test('is billed whole by a host that continues without its client', async () => {
    running().setScript({ chat: { steps: halfway, bills: 'whole' } })
    await leaveAt('mid', stream)
    expect(itemsOf(running())).toEqual({ 'prompt tokens': 5, 'output tokens': 6 })
  })

  test('whose client left before the first byte is billed for its input', async () => {
    running().setScript({ chat: { beforeHeaders: [{ type: 'gate', name: 'mid' }, { type: 'hang' }] } })
    await leaveAt('mid', stream)
    expect(itemsOf(running())).toEqual({ 'prompt tokens': 5 })
  })

  test('is billed for hidden reasoning, sound and content parts', async () => {
    const steps: Step[] = [
      { type: 'hidden', tokens: 500 },
      { type: 'audio', data: 'AAAA', tokens: 7, times: 2 },
      { type: 'part', text: 'Ho', tokens: 4 },
    ]
    expect(await billOf({ ...stream, model: 'full' }, { steps })).toMatchObject({
      'reasoning tokens': 500,
      'output tokens': 18,
    })
  })

  test.each<[string, Answer]>([
    ['an error status', { status: 503, body: { error: { message: 'Overloaded' } } }],
    ['an error before any output', { steps: [{ type: 'error', error: { message: 'Overloaded' } }] }],
    ['a cut before the headers', { beforeHeaders: [{ type: 'destroy' }] }],
    ['a cut before any output', { steps: [{ type: 'destroy' }] }],
    ['an end before any output', { steps: [{ type: 'comment', text: 'WORKING' }, { type: 'end' }] }],
  ])('that fails with %s is not billed', async (_, answer) => {
    running().setScript({ chat: answer })
    await ask(stream).then(
      response => response.text().catch(() => ''),
      () => '',
    )
    expect(running().bills()).toEqual({ bills: [], billedNano: 0n })
  })

  test.each<[string, Step]>([
    ['an error', { type: 'error', error: { message: 'Broke' } }],
    ['a cut', { type: 'destroy' }],
    ['an end', { type: 'end' }],
  ])('that fails with %s after some output is billed for that output', async (_, step) => {
    running().setScript({ chat: { steps: [...THREE_WORDS, step] } })
    await (await ask(stream)).text().catch(() => '')
    expect(itemsOf(running())).toEqual({ 'prompt tokens': 5, 'output tokens': 3 })
  })

  test('leaves a generation record with its cost, broken off or not', async () => {
    running().setScript({ chat: { steps: halfway, costUsd: 'billed' } })
    const id = await leaveAt('mid', stream)
    const record = await fetch(`${running().baseUrl}/generation?id=${id}`)
    expect(await record.json()).toMatchObject({ data: { total_cost: 0.035, native_tokens_completion: 3 } })
  })
})

describe('fallbacks', () => {
  test('the next model answers for one that is down, and is billed and named', async () => {
    running().setHost({ downModels: ['free'] })
    const answer = await ask({ model: 'free', models: ['plain'] })
    expect(await answer.json()).toMatchObject({ model: 'plain' })
    expect(running().bills().bills[0]?.model).toBe('plain')
  })

  test('all of them down give an error and no bill', async () => {
    running().setHost({ downModels: ['free', 'plain'] })
    expect((await ask({ model: 'free', models: ['plain'] })).status).toBe(503)
    expect(running().bills().bills).toEqual([])
  })
})

test('other processes can read the bills and set the host over HTTP', async () => {
  const root = running().baseUrl.replace('/v1', '')
  await fetch(`${root}/__host`, { method: 'POST', body: '{"priceFactor":2}' })
  await (await ask()).text()
  expect(await (await fetch(`${root}/__bills`)).json()).toMatchObject({
    billed_nano: '70000000',
    bills: [{ model: 'plain', usd: '0.07' }],
  })
  await fetch(`${root}/__bills`, { method: 'DELETE' })
  expect(running().requests).toHaveLength(0)
})
