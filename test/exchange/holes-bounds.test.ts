import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { FILM_HOST, PAPER_HOST } from '@/test/stand-ins/upstream-prompt'
import type { Answer, RecordedRequest, Step } from '@/test/stand-ins/upstream-script'
import { expectNoCentLost, type Reckoning } from './books'
import { type Caller, readText } from './caller'
import { type BilledSite, describeSite, HOSTS } from './site'
import { NO_RECORD } from './steps'

const say = (count: number): Step[] => [{ type: 'text', text: 'Ho ', times: count }]
const totalUsd = (books: Reckoning) => Number(books.chargedNano) / 1e9

const ROWS = Array.from({ length: 60 }, (_, index) => ({
  id: index,
  tags: ['a', 'b'],
  at: '2026-11-20T10:11:12Z',
}))

const createKeys = (owner: Caller, count: number): Promise<Caller[]> =>
  Promise.all(Array.from({ length: count }, () => owner.createKey(0.01)))

/** Sends a request, waits until the upstream is at its gate, runs something, and opens the gate. */
async function meanwhile(
  site: BilledSite,
  call: Promise<Response>,
  act: () => Promise<unknown>,
): Promise<string> {
  await site.upstream.gates.reached('mid')
  await act()
  site.upstream.gates.open('mid')
  return readText(call)
}

describe.each(HOSTS)('no charge exceeds its hold, at a host of the kind %s', host => {
  describeSite('with a small balance', { host }, site => {
    test('twenty keys limited to a cent each spend at most that, and most of it', async () => {
      site.upstream.setScript({ chat: { steps: say(2_000) } })
      const owner = await site.fund(20)
      const keys = await createKeys(owner, 20)
      const body = { model: 'standin/large', max_tokens: 2_000, stream: true }
      await Promise.all(keys.map(key => readText(key.chat(body))))
      const books = await site.books()
      expectNoCentLost(books)
      expect(books.lossNano).toBe(0n)
      expect(totalUsd(books)).toBeLessThanOrEqual(0.2)
      expect(totalUsd(books)).toBeGreaterThan(0.1)
    })

    test.each<[string, (site: BilledSite) => Promise<Caller[]>]>([
      ['twenty keys limited to a cent each', async () => createKeys(await site.fund(20), 20)],
      ['a hundred parallel calls on one dollar', async () => Array(100).fill(await site.fund(1))],
    ])('%s cause no unknown loss at a host that ignores max_tokens a thousandfold', async (_, callers) => {
      const steps: Step[] = [{ type: 'text', text: 'Ho', tokens: 100_000 }]
      site.upstream.setScript({ chat: { steps, ignoresMaxTokens: true } })
      const everyone = await callers(site)
      await Promise.all(everyone.map(caller => readText(caller.chat({ max_tokens: 100, stream: true }))))
      const books = await site.books()
      // A plain host that reports impossible counts is not trusted; only its bill knows better.
      expectNoCentLost(books, { estimated: host === 'plain' ? 1 : 0 })
      expect(books.alarms).not.toEqual([])
    })

    test('a hundred parallel calls on one dollar spend at most that', async () => {
      site.upstream.setScript({ chat: { steps: [{ type: 'gate', name: 'mid' }, ...say(300)] } })
      const customer = await site.fund(1)
      const body = { model: 'standin/dear', max_tokens: 300, stream: true }
      const calls = Array.from({ length: 100 }, () => readText(customer.chat(body)))
      await site.upstream.gates.reached('mid')
      site.upstream.gates.open('mid')
      await Promise.all(calls)
      const books = await site.books()
      expectNoCentLost(books)
      expect(books.lossNano).toBe(0n)
      expect(totalUsd(books)).toBeLessThanOrEqual(1)
    })

    const talkative = {
      model: 'standin/large',
      messages: [{ role: 'user', content: 'Tell me all about the price of coffee. '.repeat(20) }],
      max_tokens: 4_000,
      stream: true,
    }

    test.each([0.02, 0.05, 0.1])(
      'a balance of $%d buys a shorter answer than requested',
      async balanceUsd => {
        site.upstream.setScript({ chat: { steps: say(4_000) } })
        const customer = await site.fund(balanceUsd)
        const reply = await customer.chat(talkative)
        expect(reply.status).toBe(200)
        await readText(reply)
        const books = await site.books()
        // Held by a tokenizer's estimate with a margin; anything beyond is a known risk.
        expectNoCentLost(books)
        expect(totalUsd(books)).toBeLessThanOrEqual(balanceUsd)
        expect(totalUsd(books)).toBeGreaterThan(balanceUsd / 2)
      },
    )

    test('a balance of $0.002, which the question alone would take, buys none', async () => {
      const customer = await site.fund(0.002)
      expect((await customer.chat(talkative)).status).toBe(402)
      expect(await site.books()).toMatchObject({ billedNano: 0n, calls: [] })
    })

    test.each([
      ['JSON', 0.03, JSON.stringify(ROWS)],
      ['Hindi', 0.02, 'यह एक परीक्षण वाक्य है जो हिंदी में लिखा गया है और काफी लंबा है। '.repeat(12)],
      ['one letter', 0.012, 'x'.repeat(2_000)],
    ])(
      'a prompt of %s is answered for $%d, less than its bytes would cost as tokens',
      async (_, balanceUsd, content) => {
        site.upstream.setScript({ chat: { steps: say(50) } })
        const customer = await site.fund(balanceUsd)
        const messages = [{ role: 'user', content }]
        const reply = await customer.chat({ model: 'standin/large', messages, max_tokens: 50, stream: true })
        expect(reply.status).toBe(200)
        await readText(reply)
        const books = await site.books()
        expectNoCentLost(books)
        expect(totalUsd(books)).toBeLessThanOrEqual(balanceUsd)
      },
    )

    test.each<[string, object]>([
      ['ten of the largest and best', { n: 10, size: '1536x1024', quality: 'high' }],
      ['ten of no size and quality', { n: 10 }],
      ['one of the largest and best', { size: '1536x1024', quality: 'high' }],
      [
        'a plain one of a host that knows no quality',
        { model: 'standin/editor', size: '1024x1024', quality: 'low' },
      ],
    ])('pictures charged by tokens cost no more than a balance of 68 cents: %s', async (_, fields) => {
      const customer = await site.fund(0.68)
      await readText(customer.draw({ model: 'standin/gpt-image', ...fields }))
      const books = await site.books()
      expectNoCentLost(books)
      expect(books.lossNano).toBe(0n)
      expect(totalUsd(books)).toBeLessThanOrEqual(0.68)
    })

    test.each([true, false])(
      'a host that ignores the newer name of the limit is told the older one, stream %s',
      async stream => {
        site.upstream.setScript({ chat: { steps: say(600), ignoresMaxCompletionTokens: true } })
        const customer = await site.fund(5)
        await readText(customer.chat({ model: 'standin/dear', max_completion_tokens: 5, stream }))
        const books = await site.books()
        expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
        expect(books.bills[0]?.items.at(-1)).toMatchObject({ what: 'output tokens', count: 5 })
      },
    )

    test('a picture of medium quality is drawn for a balance of twenty cents', async () => {
      const customer = await site.fund(0.2)
      const reply = await customer.draw({ model: 'standin/gpt-image', size: '1024x1024', quality: 'medium' })
      expect(reply.status).toBe(200)
      const books = await site.books()
      expectNoCentLost(books)
      expect(books.chargedNano).toBeLessThan(60_000_000n)
    })

    test('a picture of any quality is drawn as finely as five cents afford, in the size that is counted on', async () => {
      const customer = await site.fund(0.05)
      const reply = await customer.draw({ model: 'standin/gpt-image' })
      expect(reply.status).toBe(200)
      expectNoCentLost(await site.books())
      const body = site.upstream.requests.at(-1)?.body
      expect(body).toMatchObject({ size: '1024x1024', quality: 'low' })
    })

    test.each(['as they are', 'as messages'])(
      'a question with a hundred pictures is covered by its hold, with parts %s',
      async how => {
        const customer = await site.fund(0.5)
        const url = 'https://pictures.example/a.png'
        const picture = {
          type: 'image_url',
          image_url: { url },
          ...(how === 'as messages' && { role: 'user' }),
        }
        const messages = [{ role: 'user', content: Array(100).fill(picture) }]
        await readText(customer.chat({ model: 'standin/large', messages, max_tokens: 100 }))
        const books = await site.books()
        expectNoCentLost(books)
        expect(books.lossNano).toBe(0n)
      },
    )

    test('a video behind a picture URL is covered by its hold at a model with video input', async () => {
      const customer = await site.fund(1)
      const picture = { type: 'image_url', image_url: { url: `https://${FILM_HOST}/a` } }
      const messages = [{ role: 'user', content: [picture] }]
      await readText(customer.chat({ model: 'standin/watcher', messages, max_tokens: 100 }))
      const books = await site.books()
      expectNoCentLost(books)
      expect(books.lossNano).toBe(0n)
      expect(totalUsd(books)).toBeGreaterThan(0.39)
    })

    if (host === 'plain') {
      test('a paper behind a picture URL is covered by its hold at a model that reads files', async () => {
        const customer = await site.fund(10)
        const picture = { type: 'image_url', image_url: { url: `https://${PAPER_HOST}/a` } }
        const messages = [{ role: 'user', content: [picture] }]
        await readText(customer.chat({ model: 'standin/writer', messages, max_tokens: 100 }))
        const books = await site.books()
        expectNoCentLost(books)
        expect(books.lossNano).toBe(0n)
        expect(totalUsd(books)).toBeGreaterThan(0.14)
      })
    }

    test('a file whose host counts its pages as pictures is covered by its hold', async () => {
      const usage = {
        prompt_tokens: 150_000,
        completion_tokens: 5,
        prompt_tokens_details: { image_tokens: 150_000 },
      }
      const chat = { steps: say(5), usage: { mode: 'value', value: usage } as const }
      site.upstream.setScript({ chat, generation: NO_RECORD })
      const customer = await site.fund(10)
      const file = { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' }
      const messages = [{ role: 'user', content: [{ type: 'file', file }] }]
      await readText(customer.chat({ model: 'standin/writer', messages, max_tokens: 100 }))
      expect(await site.books()).toMatchObject({ chargedNano: 1_500_010_000n, lossNano: 0n })
    })

    test('a question with a picture of 20 MB is answered', async () => {
      const customer = await site.fund(1)
      const url = `data:image/png;base64,${'iVBORw0KGgo'.repeat(1_900_000)}`
      const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }]
      const reply = await customer.chat({ model: 'standin/large', messages, max_tokens: 100 })
      expect(reply.status).toBe(200)
      await readText(reply)
      expectNoCentLost(await site.books())
    })
  })

  describeSite('while money moves during a call', { host }, site => {
    const long = { model: 'standin/large', max_tokens: 2_000, stream: true }
    /** A host that writes ten times as much as it was allowed to. */
    const overrun = () =>
      site.upstream.setScript({
        chat: { steps: [...say(1), { type: 'gate', name: 'mid' }, ...say(20_000)], ignoresMaxTokens: true },
      })

    test('a host’s overrun while the rest of the balance is merged away stays within the hold', async () => {
      overrun()
      const customer = await site.fund(2)
      const other = await site.fund(0)
      await meanwhile(site, customer.chat(long), () => other.merge(customer))
      const books = await site.books()
      expect(books.chargedNano).toBeLessThanOrEqual(books.calls[0]?.heldNano ?? 0n)
      expect(books.alarms).not.toEqual([])
      expectNoCentLost(books)
    })

    test('a host’s overrun with enough balance left stays within the hold', async () => {
      overrun()
      const customer = await site.fund(20)
      await meanwhile(site, customer.chat(long), async () => {})
      const books = await site.books()
      expect(books.chargedNano).toBeLessThanOrEqual(books.calls[0]?.heldNano ?? 0n)
      expectNoCentLost(books)
      expect(books.alarms).not.toEqual([])
    })

    test('a correct call is charged exactly while its account is merged away and back', async () => {
      site.upstream.setScript({ chat: { steps: [...say(100), { type: 'gate', name: 'mid' }, ...say(100)] } })
      const customer = await site.fund(2)
      const other = await site.fund(1)
      await meanwhile(site, customer.chat(long), async () => {
        await other.merge(customer)
        await customer.merge(other)
      })
      const books = await site.books()
      expectNoCentLost(books)
      expect(books.chargedNano).toBe(books.billedNano)
    })

    test('a refund of held money is taken from the next top-up', async () => {
      site.upstream.setScript({ chat: { steps: [...say(100), { type: 'gate', name: 'mid' }, ...say(900)] } })
      const customer = await site.fund(0)
      const move = { accountId: customer.accountId, source: 'gateway', memo: {} } as const
      const { ledger } = site.services
      const paid = { ...move, amountNano: 100_000_000n, reference: randomUUID() }
      await ledger.credit(paid)
      await meanwhile(site, customer.chat(long), () => ledger.reverse({ ...paid, reference: randomUUID() }))
      const { chargedNano } = await site.books()
      await ledger.credit({ ...move, amountNano: 100_000_000n, reference: randomUUID() })
      expect(await customer.balanceUsd()).toBeLessThanOrEqual(0.1 - Number(chargedNano) / 1e9 + 1e-9)
    })
  })

  describeSite('with a shared idempotency key', { host }, site => {
    const calls: [string, (customer: Caller, key: string) => Promise<Response>][] = [
      ['chat', (customer, key) => customer.chat({}, { headers: { 'idempotency-key': key } })],
      ['a picture', (customer, key) => customer.draw({}, { headers: { 'idempotency-key': key } })],
      ['sound', (customer, key) => customer.speak({}, { headers: { 'idempotency-key': key } })],
    ]
    test.each(calls)('%s: an API key does not get the answer of the credit_id', async (_, call) => {
      const owner = await site.fund(1)
      const key = await owner.createKey()
      const name = randomUUID()
      await readText(call(owner, name))
      const reply = await call(key, name)
      await readText(reply)
      const books = await site.books()
      expectNoCentLost(books)
      // Either a call of its own, sent and paid for, or a refusal.
      expect([reply.status, books.bills.length]).toEqual(reply.status === 200 ? [200, 2] : [409, 1])
    })

    test.each(calls)('%s: sixteen parallel repetitions are sent and charged once', async (_, call) => {
      const owner = await site.fund(1)
      const name = randomUUID()
      const replies = await Promise.all(Array.from({ length: 16 }, () => call(owner, name)))
      const texts = new Set(await Promise.all(replies.filter(({ status }) => status === 200).map(readText)))
      expect(texts.size).toBe(1)
      const books = await site.books()
      expectNoCentLost(books)
      expect([books.bills.length, books.chargedNano]).toEqual([1, books.billedNano])
    })

    test.each([0, 1])(
      'a large body whose answer used up the balance gets that answer again, but not with another byte',
      async extraCount => {
        site.upstream.setScript({ chat: { steps: say(2_000) } })
        const owner = await site.fund(0.011)
        const options = { headers: { 'idempotency-key': randomUUID() } }
        const ask = (filler: string) =>
          owner.chat({ model: 'standin/small', max_tokens: 4_000, stream: true, filler }, options)
        const first = await readText(ask('x'.repeat(300_000)))
        expect(first).toContain('[DONE]')
        expect(await owner.balanceUsd()).toBeLessThan(0.01)
        const again = await ask('x'.repeat(300_000 + extraCount))
        const text = await readText(again)
        expect([again.status, text === first]).toEqual(extraCount === 0 ? [200, true] : [402, false])
        expect((await site.books()).bills).toHaveLength(1)
      },
    )

    test('a large body is admitted again while its answer is being written', async () => {
      site.upstream.setScript({
        chat: {
          steps: [
            { type: 'text', text: 'Ho' },
            { type: 'gate', name: 'mid' },
          ],
        },
      })
      const owner = await site.fund(0.011)
      const options = { headers: { 'idempotency-key': randomUUID() } }
      const body = { model: 'standin/small', max_tokens: 4_000, stream: true, filler: 'x'.repeat(300_000) }
      const first = owner.chat(body, options)
      let again: Response | null = null
      const text = await meanwhile(site, first, async () => {
        again = await owner.chat(body, options)
      })
      expect(again && (await readText(again))).toBe(text)
      expect((await site.books()).bills).toHaveLength(1)
    })
  })
})

describeSite(
  'a host whose output limit leaves out thought',
  {
    host: 'plain',
    hostName: 'api.siliconflow.com',
  },
  site => {
    /** As much as the received request allows; the usual budget, if it does not say. */
    const thoughts = ({ body }: RecordedRequest): Answer => {
      const { thinking_budget: thought = 4_096, max_tokens: written = 0 } = body as Record<string, number>
      return { steps: [{ type: 'hidden', tokens: thought }, ...say(written)], ignoresMaxTokens: true }
    }
    const question = { messages: [{ role: 'user', content: 'Say hello.' }], stream: true }

    test.each<[string, object, Record<string, string>]>([
      ['/v1/chat/completions', { max_tokens: 16 }, {}],
      ['/v1/chat/completions', { max_tokens: 1_000 }, {}],
      ['/v1/chat/completions', { max_tokens: 1_000, reasoning: { max_tokens: 300 } }, {}],
      ['/v1/chat/completions', { max_tokens: 1_000 }, { 'x-max-charge-usd': '0.004' }],
      ['/v1/messages', { max_tokens: 1_000 }, {}],
    ])(
      'is asked at %s, with %j and %j, for no more of it than is held for',
      async (path, fields, headers) => {
        site.upstream.setScript({ chat: thoughts })
        const customer = await site.fund(5)
        await readText(customer.post(path, { model: 'standin/thinker', ...question, ...fields }, { headers }))
        const books = await site.books()
        expectNoCentLost(books)
        expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
      },
    )

    test('is asked for no thought by models that have none', async () => {
      const customer = await site.fund(5)
      await readText(customer.chat({ ...question, max_tokens: 1_000 }))
      const { body } = await site.upstream.requestTo('/chat/completions')
      expect(body).toMatchObject({ max_tokens: 1_000 })
      expect(body).not.toHaveProperty('thinking_budget')
    })
  },
)

describe.each(['ark.ap-southeast.bytepluses.com', 'ark.cn-beijing.volces.com'])('%s', hostName => {
  describeSite('which leaves thought out of the older limit', { host: 'plain', hostName }, site => {
    /** Without end, unless it is limited by the newer name, which includes thought. */
    const thoughts = ({ body }: RecordedRequest): Answer => {
      const { max_completion_tokens: all, max_tokens: written = 0 } = body as Record<string, number>
      const steps: Step[] = [{ type: 'hidden', tokens: all ?? 32_768 }]
      return { steps: all === undefined ? [...steps, ...say(written)] : steps, ignoresMaxTokens: true }
    }

    test.each([{ max_tokens: 500 }, { max_completion_tokens: 500 }, {}])(
      'is asked with %j for no more than is held for',
      async fields => {
        site.upstream.setScript({ chat: thoughts })
        const customer = await site.fund(5)
        await readText(customer.chat({ model: 'standin/thinker', stream: true, ...fields }))
        const books = await site.books()
        expectNoCentLost(books)
        expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
      },
    )
  })
})
