import { describe, expect, test } from '@jest/globals'
import { countPrompt } from '@/test/stand-ins/upstream-prompt'
import type { Answer, Step, UsageScript } from '@/test/stand-ins/upstream-script'
import { expectNoCentLost, type Reckoning } from './books'
import { readText } from './caller'
import { type BilledSite, describeSite, HOSTS } from './site'
import { NO_RECORD } from './steps'

/** An answer of three hundred tokens. */
const ANSWER: Step[] = [{ type: 'text', text: 'Ho ', times: 300 }]

/** Whatever was requested is paid by the caller; or it was refused, and no host was asked. */
function expectPaidByCustomer(books: Reckoning): void {
  expectNoCentLost(books)
  expect(books.lossNano).toBe(0n)
}

function expectNothingAsked(site: BilledSite): void {
  expect(site.upstream.requests.filter(({ method }) => method === 'POST')).toEqual([])
}

describe.each(HOSTS)('the customer pays for the model that answered, at a host of the kind %s', host => {
  describeSite('with fallback models', { host }, site => {
    test.each([true, false])(
      'a free model that is down and an expensive fallback, stream %s',
      async stream => {
        site.upstream.setScript({ chat: { steps: ANSWER } })
        site.upstream.setHost({ downModels: ['standin/free'] })
        const customer = await site.fund(5)
        await readText(
          customer.chat({ model: 'standin/free', models: ['standin/dear'], max_tokens: 500, stream }),
        )
        const books = await site.books()
        expect(books.billedNano).toBeGreaterThan(0n)
        expectPaidByCustomer(books)
      },
    )

    test('a list of models without a first one, of which the second answers', async () => {
      site.upstream.setScript({ chat: { steps: ANSWER } })
      site.upstream.setHost({ downModels: ['standin/small'] })
      const customer = await site.fund(5)
      const models = ['standin/small', 'standin/dear']
      const reply = await customer.chat({ model: undefined, models, max_tokens: 500 })
      expect([reply.status, JSON.parse(await reply.text()).model]).toEqual([200, 'standin/dear'])
      expectPaidByCustomer(await site.books())
    })

    test('a free model with an expensive fallback is refused with an empty balance', async () => {
      site.upstream.setHost({ downModels: ['standin/free'] })
      const customer = await site.fund(0)
      const reply = await customer.chat({ model: 'standin/free', models: ['standin/dear'], max_tokens: 500 })
      expect(reply.status).toBe(402)
      expectNothingAsked(site)
    })

    test('a cheap model that is down and an expensive fallback', async () => {
      site.upstream.setScript({ chat: { steps: ANSWER } })
      site.upstream.setHost({ downModels: ['standin/small'] })
      const customer = await site.fund(5)
      await readText(customer.chat({ models: ['standin/dear'], max_tokens: 500, stream: true }))
      expectPaidByCustomer(await site.books())
    })

    test.each([null, 'somebody/else'])(
      'an expensive fallback whose answer names the model %s',
      async reportedModel => {
        site.upstream.setScript({ chat: { steps: ANSWER, reportedModel } })
        site.upstream.setHost({ downModels: ['standin/small'] })
        const customer = await site.fund(5)
        await readText(customer.chat({ models: ['standin/dear'], max_tokens: 500, stream: true }))
        expectPaidByCustomer(await site.books())
      },
    )

    test.each(['-2026-01-15', '-20260115', '@20260115', '-001'])(
      'a cheap model that answers under its name with the version %s costs the cheap price',
      async version => {
        const reportedModel = `standin/small${version}`
        site.upstream.setScript({ chat: { steps: ANSWER, reportedModel, costUsd: undefined } })
        const customer = await site.fund(5)
        await readText(customer.chat({ models: ['standin/dear'], max_tokens: 500, stream: true }))
        const books = await site.books()
        expectPaidByCustomer(books)
        expect(books.chargedNano).toBe(books.billedNano)
      },
    )

    test('an expensive model that is down and a cheap fallback cost the cheap price', async () => {
      site.upstream.setScript({ chat: { steps: ANSWER } })
      site.upstream.setHost({ downModels: ['standin/dear'] })
      const customer = await site.fund(5)
      await readText(customer.chat({ model: 'standin/dear', models: ['standin/small'], max_tokens: 500 }))
      const books = await site.books()
      expectPaidByCustomer(books)
      expect(books.chargedNano).toBe(books.billedNano)
    })

    test('a model with an unknown price field is not offered', async () => {
      const customer = await site.fund(1)
      expect((await customer.chat({ model: 'standin/odd' })).status).toBe(404)
      expectNothingAsked(site)
    })
  })

  describeSite('with special prices', { host }, site => {
    const long = [{ role: 'user', content: 'word '.repeat(3_000) }]
    test('for writing to a cache', async () => {
      const content = [{ type: 'text', text: 'word '.repeat(3_000), cache_control: { type: 'ephemeral' } }]
      const customer = await site.fund(5)
      await readText(customer.chat({ model: 'standin/cacher', messages: [{ role: 'user', content }] }))
      const books = await site.books()
      expect(books.bills[0]?.items[0]?.what).toBe('tokens written to the cache')
      expectPaidByCustomer(books)
    })

    const text = 'word '.repeat(3_000)
    const kept = {
      model: 'standin/keeper',
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text, cache_control: { type: 'ephemeral', ttl: '1h' } }],
        },
      ],
    }
    const written = countPrompt(kept).tokenCount
    const creation = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: written }
    test.each<[string, object]>([
      ['by Anthropic', { cache_creation_input_tokens: written, cache_creation: creation }],
      [
        'by LiteLLM',
        { prompt_tokens_details: { cache_write_tokens: written, cache_creation_token_details: creation } },
      ],
      ['without its lifetime', { prompt_tokens_details: { cache_write_tokens: written } }],
    ])('for writing to a cache for an hour, told %s', async (_, told) => {
      const value = { prompt_tokens: written, completion_tokens: 1, total_tokens: written + 1, ...told }
      site.upstream.setScript({ chat: { usage: { mode: 'value', value } }, generation: NO_RECORD })
      const customer = await site.fund(5)
      await readText(customer.chat(kept))
      const books = await site.books()
      expect(books.bills[0]?.items[0]).toMatchObject({ usdEach: '0.000006', count: written })
      expectPaidByCustomer(books)
    })

    test('but not for a cache without a price, or one for months', async () => {
      const text = { type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', ttl: '8640000s' } }
      const customer = await site.fund(5)
      const marksOf = async (model: string) => {
        await readText(customer.chat({ model, messages: [{ role: 'user', content: [text] }] }))
        return JSON.stringify(site.upstream.requests.at(-1)?.body).match(/"cache_control":[^}]*}/g)
      }
      // A router has prices of its own for it, and tells what it bills.
      const routed = ['"cache_control":{"type":"ephemeral","ttl":"8640000s"}']
      const isRouter = host === 'openrouter'
      expect(await marksOf('standin/large')).toEqual(isRouter ? routed : null)
      expect(await marksOf('standin/cacher')).toEqual(
        isRouter ? routed : ['"cache_control":{"type":"ephemeral"}'],
      )
      expectPaidByCustomer(await site.books())
    })

    test('for a long prompt', async () => {
      const customer = await site.fund(5)
      await readText(customer.chat({ model: 'standin/banded', messages: long, max_tokens: 100 }))
      const books = await site.books()
      expect(books.bills[0]?.items[0]).toMatchObject({ what: 'prompt tokens', usdEach: '0.000004' })
      expectPaidByCustomer(books)
    })

    test('for pictures and reasoning', async () => {
      const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
      const messages = [{ role: 'user', content: [picture, picture] }]
      site.upstream.setScript({
        chat: { steps: [{ type: 'reasoning', text: 'Hm', tokens: 400 }, ...ANSWER] },
      })
      const customer = await site.fund(5)
      await readText(customer.chat({ model: 'standin/large', messages, stream: true }))
      expectPaidByCustomer(await site.books())
    })

    test('for several choices', async () => {
      site.upstream.setScript({ chat: { steps: ANSWER } })
      const customer = await site.fund(5)
      await readText(customer.chat({ n: 4, max_tokens: 400, stream: true }))
      expectPaidByCustomer(await site.books())
    })

    test('at a provider three times above the listed price', async () => {
      site.upstream.setScript({ chat: { steps: ANSWER } })
      site.upstream.setHost({ priceFactor: 3 })
      const customer = await site.fund(5)
      await readText(customer.chat({ max_tokens: 300, stream: true }))
      // A plain host reports tokens only, so its list is all that can be known of its prices.
      if (host === 'openrouter') expectNoCentLost(await site.books())
      else expect(await site.books()).toMatchObject({ calls: [{ state: 'settled' }] })
    })

    if (host === 'plain') return

    test('not at a provider three times above the listed price, which a router is told to pass over', async () => {
      site.upstream.setScript({ chat: { steps: [{ type: 'text', text: ' word', times: 300 }] } })
      site.upstream.setHost({ priceFactor: 3 })
      const customer = await site.fund(5)
      await readText(customer.chat({ max_tokens: 300, stream: true }))
      expectPaidByCustomer(await site.books())
    })
  })
})

describe.each(HOSTS)('the usage that a host of the kind %s reports', host => {
  describeSite('as a cost', { host }, site => {
    const ask = async (answer: Answer, body: object = {}) => {
      site.upstream.setScript({ chat: { steps: ANSWER, ...answer } })
      const customer = await site.fund(20)
      await readText(customer.chat({ max_tokens: 300, stream: true, ...body }))
      return site.books()
    }

    test.each([0.3, 5, 1_000, 1e9])(
      'of $%d for a call of a tenth of a cent is charged up to the hold, with an alarm',
      async costUsd => {
        const books = await ask({ costUsd, dialect: 'openrouter' })
        expectNoCentLost(books)
        expect(books.chargedNano).toBe(books.calls[0]?.heldNano)
        expect(books.lossNano).toBeGreaterThan(0n)
        expect(books.alarms).not.toEqual([])
      },
    )

    test('above the token prices is charged within the hold', async () => {
      const books = await ask({ costUsd: 0.0008, dialect: 'openrouter' }, { max_tokens: 1_000 })
      expect(books).toMatchObject({ chargedNano: 800_000n, lossNano: 0n })
    })

    test.each([0, -1, 'free', null, '1e309'])('of %p for a paid model is ignored', async cost => {
      const value = { prompt_tokens: 8, completion_tokens: 300, cost }
      const books = await ask({ usage: { mode: 'value', value } })
      expectPaidByCustomer(books)
    })

    test('for a free model is the operator’s loss, with an alarm', async () => {
      const books = await ask({ costUsd: 0.2, dialect: 'openrouter' }, { model: 'standin/free' })
      expect(books).toMatchObject({ chargedNano: 0n, lossNano: 200_000_000n })
      expect(books.alarms).not.toEqual([])
    })

    test.each<[string, Record<string, unknown>]>([
      ['far too much', { cost: 50 }],
      ['nothing', { cost: 0 }],
      ['a negative amount', { cost: -3 }],
    ])(
      'of %s for a picture is charged up to the hold, and at least at the listed price',
      async (_, value) => {
        site.upstream.setScript({ images: { usage: { mode: 'value', value } } })
        const customer = await site.fund(100)
        await readText(customer.draw())
        const books = await site.books()
        expectNoCentLost(books)
        expect(books.chargedNano).toBeGreaterThanOrEqual(books.billedNano)
        if (value.cost === 50) expect(books.alarms).not.toEqual([])
      },
    )
  })

  describeSite('as token counts', { host }, site => {
    test.each<[string, UsageScript]>([
      ['390,000 tokens read', { mode: 'value', value: { prompt_tokens: 390_000, completion_tokens: 9 } }],
      ['390,000 tokens written', { mode: 'value', value: { prompt_tokens: 9, completion_tokens: 390_000 } }],
      ['1e308 of both', { mode: 'value', value: { prompt_tokens: 1e308, completion_tokens: 1e308 } }],
      ['less than none', { mode: 'value', value: { prompt_tokens: -9, completion_tokens: -9 } }],
      ['none', { mode: 'value', value: { prompt_tokens: 0, completion_tokens: 0 } }],
      ['words', { mode: 'value', value: { prompt_tokens: 'NaN', completion_tokens: 'many' } }],
      ['parts of tokens', { mode: 'value', value: { prompt_tokens: 1.5, completion_tokens: 2.5 } }],
      ['null', { mode: 'value', value: null }],
      ['nothing', { mode: 'absent' }],
      [
        'two different counts',
        { mode: 'values', values: [{}, { prompt_tokens: 390_000, completion_tokens: 1 }] },
      ],
    ])('of %s for a short question causes no unknown loss', async (_, usage) => {
      site.upstream.setScript({
        chat: { steps: [{ type: 'text', text: 'Ho ', times: 10 }], usage },
        generation: { status: 404, body: {} },
      })
      const customer = await site.fund(100)
      const messages = [{ role: 'user', content: 'hi' }]
      await readText(customer.chat({ model: 'standin/dear', messages, max_tokens: 10, stream: true }))
      const books = await site.books()
      // Only we could count: a token more or less of fifteen.
      expectNoCentLost(books, { estimated: 0.3 })
      expect(books.calls[0]?.heldNano).toBeLessThan(30_000_000n)
    })
  })
})

describe('the operator’s own key at the model’s maker', () => {
  describeSite('is billed besides OpenRouter’s fee', { host: 'openrouter' }, site => {
    test.each([true, false])('which are both charged, stream %s', async stream => {
      site.upstream.setScript({ chat: { steps: ANSWER, byok: true } })
      const customer = await site.fund(5)
      await readText(customer.chat({ model: 'standin/dear', max_tokens: 400, stream }))
      expectPaidByCustomer(await site.books())
    })

    test('which are both read from the generation record of a broken answer', async () => {
      site.upstream.setScript({ chat: { steps: [...ANSWER, { type: 'destroy' }], byok: true } })
      const customer = await site.fund(5)
      await readText(customer.chat({ model: 'standin/dear', max_tokens: 400, stream: true }))
      expectPaidByCustomer(await site.books())
    })
  })
})

describe.each(HOSTS)('with a markup of 50 %, at a host of the kind %s', host => {
  describeSite('the operator’s own cost', { host, environment: { PRICE_MARKUP: '0.5' } }, site => {
    test.each(['standin/painter', 'standin/gpt-image'])('is not shown with a picture of %s', async model => {
      site.upstream.setScript({ images: { costUsd: 'billed' } })
      const customer = await site.fund(5)
      const { usage } = await (await customer.draw({ model, size: '1024x1024', quality: 'low' })).json()
      const books = await site.books()
      expectNoCentLost(books)
      const billedUsd = Number(books.billedNano) / 1e9
      expect(usage.cost).toBeCloseTo(1.5 * billedUsd, 8)
      expect(JSON.stringify(usage)).not.toContain(`:${billedUsd}`)
      expect(usage).not.toHaveProperty('is_byok')
      expect(usage).not.toHaveProperty('cost_details')
    })

    test.each([true, false])('is not shown with an answer, stream %s', async stream => {
      site.upstream.setScript({ chat: { steps: ANSWER, byok: true, costUsd: 'billed' } })
      const customer = await site.fund(5)
      const text = await readText(customer.chat({ max_tokens: 300, stream }))
      const books = await site.books()
      expectNoCentLost(books)
      expect(text).not.toMatch(/upstream_inference_cost|"is_byok"/)
      expect(books.chargedNano).toBeGreaterThanOrEqual((books.billedNano * 15n) / 10n)
    })
  })
})

const OWN_PRICES = {
  'standin/reader': { input_character: '0.00002' },
  'standin/voice': { kind: 'speech', prompt: '0.00001', completion: '0', voices: ['plain', 'plainer'] },
}

describe('a price of speech holds for the voices that the operator means', () => {
  const environment = { MODEL_PRICES_TEXT: JSON.stringify(OWN_PRICES) }
  describeSite('of two models', { host: 'plain', environment }, site => {
    const spokenWith = () => site.upstream.requests.at(-1)?.body
    test.each([
      ['standin/reader', 'en-US-Studio-O'],
      ['standin/reader', { id: '9BWtsMINqrJLrRacOk9x' }],
      ['standin/voice', 'alloy'],
    ])('%s is not asked for the voice %j', async (model, voice) => {
      const customer = await site.fund(5)
      const reply = await customer.speak({ model, voice })
      expect([reply.status, (await reply.json()).error.param]).toEqual([400, 'voice'])
      expectNothingAsked(site)
    })

    test.each([
      ['standin/reader', 'nova', 'nova'],
      ['standin/reader', null, 'alloy'],
      ['standin/voice', 'plainer', 'plainer'],
      ['standin/voice', null, 'plain'],
    ])('%s is asked for %s as %s', async (model, voice, told) => {
      const customer = await site.fund(5)
      const reply = await customer.speak({ model, voice })
      await readText(reply)
      expect(reply.status).toBe(200)
      expect(spokenWith()).toMatchObject({ voice: told })
      expectPaidByCustomer(await site.books())
    })

    test('each is listed with its voices', async () => {
      const customer = await site.fund(0)
      const { data } = await (await customer.send('GET', '/v1/audio/voices')).json()
      const namesOf = (model: string) =>
        data.flatMap((each: { id: string; models: string[] }) => (each.models.includes(model) ? each.id : []))
      expect(namesOf('standin/voice')).toEqual(['plain', 'plainer'])
      expect(namesOf('standin/reader')).toContain('alloy')
      expect(namesOf('standin/reader')).not.toContain('plain')
    })
  })

  describeSite('but one that its host lists holds for any', { host: 'plain' }, site => {
    test('voice of it', async () => {
      const customer = await site.fund(5)
      const reply = await customer.speak({ voice: 'Kore' })
      await readText(reply)
      expect(reply.status).toBe(200)
      expectPaidByCustomer(await site.books())
    })
  })
})
