import { createServer } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Kind, UpstreamCall } from '@/lib/exchange/engine/kind'
import { STAND_IN_MODELS, standInModel } from '@/test/stand-ins/upstream-models'
import { ask, ownCount } from '@/test/support/exchange-calls'
import { readAll } from '@/test/support/exchange-replies'
import {
  createCustomer,
  onlyUsage,
  standInSettings,
  startSite,
  waitForUsage,
} from '@/test/support/exchange-site'
import { listen } from '@/test/support/listen'
import { NO_RECORD, useStandInUpstream } from '@/test/support/stand-in-upstream'

const whole = { body: { stream: false } }

/** Long enough for what is already on its way between two ends in this process. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await nextTurn()
}

describeOnPostgres('an answer in one piece', getDatabase => {
  const upstream = useStandInUpstream({
    chat: { steps: [{ type: 'text', text: 'Hello there.' }], promptTokens: 10 },
  })
  const second = useStandInUpstream({})
  const site = () => startSite({ database: getDatabase(), upstream })

  test('is passed on with its cost and the balance', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const reply = await ask(running, customer, whole)
    expect(reply.headers).toMatchObject({
      'content-type': 'application/json',
      // LiteLLM books this; from the body of a whole answer it reads no cost.
      'x-litellm-response-cost': '0.000012',
    })
    const answer = JSON.parse(await readAll(reply))
    expect(answer.choices[0].message.content).toBe('Hello there.')
    expect(answer.usage).toMatchObject({
      prompt_tokens: 10,
      completion_tokens: 1,
      cost: 0.000012,
      balance_usd: 0.999988,
    })
    expect(await onlyUsage(running.ledger, customer)).toMatchObject({
      status: 'completed',
      chargedNano: 12_000n,
    })
    const { body } = await upstream.requestTo('/chat/completions')
    expect(body).not.toHaveProperty('stream_options')
  })

  test.each([
    ['null where the host tells none, without which OpenRouter’s clients cannot read it', {}, null],
    ['the host’s own', { system_fingerprint: 'fp_1' }, 'fp_1'],
  ])('has a fingerprint of the system: %s', async (_case, told, system_fingerprint) => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }]
    upstream.setScript({ chat: { body: { id: 'gen-1', model: 'standin/small', choices, ...told } } })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const answer = JSON.parse(await readAll(await ask(running, customer, whole)))
    expect(answer).toMatchObject({ system_fingerprint })
  })

  test('finds models of OpenAI by their own names, whatever a router calls them', async () => {
    const prices = { prompt: '0.000001', completion: '0.000002' }
    const ids = ['openai/gpt-5.1', 'openai/gpt-4o-mini']
    upstream.setModels(ids.map(id => standInModel({ id, ...prices })))
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const body = { ...whole.body, model: 'gpt-5.1', models: ['gpt-4o-mini'] }
    await readAll(await ask(running, customer, { body }))
    expect((await upstream.requestTo('/chat/completions')).body).toMatchObject({
      model: 'openai/gpt-5.1',
      models: ['openai/gpt-4o-mini'],
    })
    expect(await onlyUsage(running.ledger, customer)).toMatchObject({ modelId: 'openai/gpt-5.1' })
    upstream.setModels(STAND_IN_MODELS)
  })

  test.each([
    ['one', ['standin/small'], undefined],
    ['two', ['standin/small', 'standin/large'], ['standin/large']],
  ])(
    'of a list of models asks the first, and names the others if there are any: %s',
    async (_case, models, others) => {
      const running = site()
      const customer = await createCustomer(running.ledger, 1)
      const body = { ...whole.body, model: undefined, models }
      await readAll(await ask(running, customer, { body }))
      const { body: sent } = await upstream.requestTo('/chat/completions')
      expect(sent).toHaveProperty('model', 'standin/small')
      expect(JSON.parse(JSON.stringify(sent)).models).toEqual(others)
    },
  )

  test.each([
    [['standin/small', 5], 'models.1'],
    [[''], 'models.0'],
    [[5], 'models.0'],
    ['standin/small', 'models'],
    [['no/such'], 'models'],
    [[], 'model'],
  ])('what is wrong in %j, a list of models, is named by its place there', async (models, param) => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const body = { ...whole.body, model: undefined, models }
    await expect(ask(running, customer, { body })).rejects.toMatchObject({ param })
  })

  test.each([
    ['absent', { mode: 'absent' as const }],
    ['zero', { mode: 'value' as const, value: { prompt_tokens: 0, completion_tokens: 0 } }],
    ['garbage', { mode: 'value' as const, value: 'lots' }],
  ])('whose usage is %s is charged by our own count', async (_case, usage) => {
    upstream.setScript({
      chat: { steps: [{ type: 'text', text: 'Hello there.' }], usage },
      generation: NO_RECORD,
    })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const answer = JSON.parse(await readAll(await ask(running, customer, whole)))
    const { outputTokenCount, chargedNano } = await ownCount('Hello there.', whole.body)
    expect(answer.usage).toMatchObject({ completion_tokens: outputTokenCount, estimated: true })
    expect(await onlyUsage(running.ledger, customer)).toMatchObject({
      costBasis: 'local_count',
      chargedNano,
    })
  })

  test.each([
    ['an error on a 200', { steps: [{ type: 'error' as const, error: { code: 500, message: 'x' } }] }],
    ['no JSON', { body: 'hello' }],
    ['JSON without choices', { body: { id: 'x' } }],
    ['a cut', { beforeHeaders: [{ type: 'destroy' as const }] }],
    ['an event stream', { body: 'data: {}\n\n', contentType: 'text/event-stream' }],
  ])('that is %s costs nothing', async (_case, answer) => {
    upstream.setScript({ chat: answer })
    const alone = site()
    const customer = await createCustomer(alone.ledger, 1)
    await expect(ask(alone, customer, whole)).rejects.toMatchObject({ code: 'upstream_error' })
    expect(await onlyUsage(alone.ledger, customer)).toMatchObject({ status: 'failed', chargedNano: 0n })
  })

  test('with more content parts than a function call takes arguments is passed on and charged', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const content = Array.from({ length: 200_000 }, () => ({ type: 'text', text: 'a' }))
    const usage = { prompt_tokens: 10, completion_tokens: 200_000, total_tokens: 200_010 }
    const message = { role: 'assistant', content }
    const choices = [{ index: 0, message, finish_reason: 'stop' }]
    upstream.setScript({ chat: { body: { id: 'gen-1', model: 'standin/small', choices, usage } } })
    const body = { ...whole.body, max_tokens: 200_000 }
    const answer = JSON.parse(await readAll(await ask(running, customer, { body })))
    expect(answer.choices[0].message.content).toHaveLength(200_000)
    expect((await onlyUsage(running.ledger, customer)).chargedNano).toBeGreaterThan(0n)
  })

  test('that cannot be read costs the customer nothing, and is recorded as the operator’s possible loss', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const { chat } = running.kinds
    const quote: Kind['quote'] = async input => {
      const priced = await chat.quote(input)
      const open = () => {
        throw new TypeError('a mistake of ours')
      }
      return { ...priced, callFor: heldNano => ({ ...priced.callFor(heldNano), open }) }
    }
    const kinds = { ...running.kinds, chat: { ...chat, quote } }
    await expect(ask({ ...running, kinds }, customer, whole)).rejects.toMatchObject({ status: 500 })
    const { heldNano, ...usage } = await onlyUsage(running.ledger, customer)
    expect(usage).toMatchObject({ status: 'failed', chargedNano: 0n, errorCode: 'internal_error' })
    const ofCustomer = getDatabase().kysely.selectFrom('hold').where('account_id', '=', customer.accountId)
    expect(await ofCustomer.select('loss_nano').execute()).toEqual([{ loss_nano: heldNano }])
    expect(running.reports).toEqual([expect.stringContaining('operator loss')])
  })

  test('that cannot be written after it was charged says so, and is not to be repeated', async () => {
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const { chat } = running.kinds
    const write = () => {
      throw new TypeError('a mistake of ours')
    }
    const quote: Kind['quote'] = async input => {
      const priced = await chat.quote(input)
      const open: UpstreamCall['open'] = (response, asked) => {
        const opened = priced.callFor(priced.boundNano).open(response, asked)
        if (opened.form !== 'whole') throw new Error('It was asked for in one piece.')
        return { form: 'whole', read: body => ({ ...opened.read(body), write }) }
      }
      return { ...priced, callFor: heldNano => ({ ...priced.callFor(heldNano), open }) }
    }
    const kinds = { ...running.kinds, chat: { ...chat, quote } }
    await expect(ask({ ...running, kinds }, customer, whole)).rejects.toMatchObject({
      status: 500,
      message: 'Something went wrong on our side after the model had answered. 0.000012 USD were charged.',
      headers: { 'x-should-retry': 'false' },
    })
    expect(await onlyUsage(running.ledger, customer)).toMatchObject({ chargedNano: 12_000n })
    expect(running.reports).toEqual([])
  })

  test('that is an error with status 200 makes the next upstream be asked', async () => {
    upstream.setScript({ chat: { steps: [{ type: 'error', error: { code: 500, message: 'x' } }] } })
    const both = startSite({
      database: getDatabase(),
      upstream,
      moreUpstreams: [standInSettings(second, 'second')],
    })
    const other = await createCustomer(both.ledger, 1)
    expect(JSON.parse(await readAll(await ask(both, other, whole)))).toHaveProperty('choices')
  })

  test('whose client leaves is read to its end, and charged', async () => {
    const steps = [{ type: 'text' as const, text: 'Hello there.' }]
    const beforeHeaders = [{ type: 'gate' as const, name: 'asked' }]
    upstream.setScript({ chat: { beforeHeaders, steps, promptTokens: 10 } })
    const running = site()
    const customer = await createCustomer(running.ledger, 1)
    const client = new AbortController()
    const reply = ask(running, customer, { ...whole, signal: client.signal })
    await upstream.gates.reached('asked')
    client.abort()
    upstream.gates.open('asked')
    await reply
    expect(await (await upstream.requestTo('/chat/completions')).ended).toBe('completed')
    expect(await waitForUsage(running.ledger, customer)).toMatchObject({
      status: 'completed',
      chargedNano: 12_000n,
    })
  })

  test('that begins before its host has read the request is read to its end, too, and charged', async () => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }]
    const usage = { prompt_tokens: 10, completion_tokens: 1 }
    const answer = JSON.stringify({ id: 'gen-1', model: 'standin/large', choices, usage })
    const hasLeft = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const server = createServer(async (request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      if (request.method === 'GET') return response.end(JSON.stringify({ data: STAND_IN_MODELS }))
      response.write(answer.slice(0, 5))
      begun.resolve()
      await hasLeft.promise
      response.end(answer.slice(5))
    })
    const { port, stop } = await listen(server)
    const running = startSite({
      database: getDatabase(),
      upstream: { baseUrl: `http://127.0.0.1:${port}/v1` },
    })
    const customer = await createCustomer(running.ledger, 1)
    // More than the connection takes before its other end reads.
    const url = `data:image/png;base64,${'iVBORw0KGgo'.repeat(2_000_000)}`
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }]
    const client = new AbortController()
    const body = { model: 'standin/large', messages, stream: false }
    const reply = ask(running, customer, { body, signal: client.signal })
    await begun.promise
    await someTurns()
    client.abort()
    await someTurns()
    hasLeft.resolve()
    await reply.catch(() => null)
    const used = await waitForUsage(running.ledger, customer)
    expect(used).toMatchObject({ status: 'completed', costBasis: 'upstream_tokens' })
    expect(used.chargedNano).toBeGreaterThan(0n)
    await stop()
  })
})
