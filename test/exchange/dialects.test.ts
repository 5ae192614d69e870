import { describe, expect, test } from '@jest/globals'
import type { Answer } from '@/test/stand-ins/upstream-script'
import { ESTIMATED, expectNoCentLost } from './books'
import { type Caller, type CallOptions, leave, makeResumeKey, readText, stop } from './caller'
import { DIALECTS } from './dialect-questions'
import { describeSite, HOSTS } from './site'
import { callTool, GATE, OVERLOADED, say } from './steps'

const MOMENTS: readonly [string, Answer][] = [
  ['before the first byte', { beforeHeaders: [{ type: 'gate', name: 'mid' }], steps: say(600) }],
  ['after one word', { steps: [...say(1), GATE, ...say(600)] }],
  ['in the middle', { steps: [...say(300), GATE, ...say(300)] }],
  ['in hidden thought', { steps: [{ type: 'hidden', tokens: 700 }, GATE, ...say(100)] }],
  ['in a call of a tool', { steps: [...callTool(200), GATE, ...callTool(200)] }],
]

describe.each(HOSTS)('an answer from a host of the kind %s', host => {
  describe.each(DIALECTS)(
    'requested in $name',
    ({ path, question, thinking, marked, costIn, lastEvent, shortage }) => {
      const endpoint = host === 'openrouter' ? path.slice('/v1'.length) : '/chat/completions'
      const ask = (customer: Caller, fields: object = {}, options: CallOptions = {}) =>
        customer.post(path, { model: 'standin/dear', ...question, ...fields }, options)
      const questionFor = (moment: string) => (moment.includes('hidden') ? thinking : {})

      describeSite('is charged with the markup', { host, environment: { PRICE_MARKUP: '0.055' } }, site => {
        test.each([true, false])('on the host’s bill, and shows the charge, stream %s', async stream => {
          const steps = [{ type: 'reasoning' as const, text: 'Hm', tokens: 3 }, ...say(20), ...callTool(5)]
          site.upstream.setScript({ chat: { steps } })
          const customer = await site.fund(20)
          const text = await readText(ask(customer, { stream }))
          const books = await site.books()
          expectNoCentLost(books)
          const withMarkup = (books.billedNano * 1_055n + 999n) / 1_000n
          expect(books).toMatchObject({ chargedNano: withMarkup, lossNano: 0n })
          const told = stream ? (/^data: (.*"cost":.*)$/m.exec(text)?.[1] ?? '') : text
          expect(costIn(JSON.parse(told))).toMatchObject({
            cost: Number(books.chargedNano) / 1e9,
            balance_usd: await customer.balanceUsd(),
          })
          expect(text.includes(`event: ${lastEvent}\n`)).toBe(stream)
        })
      })

      describeSite('is requested with fields that the host knows', { host }, site => {
        test('for reasoning, earlier reasoning and caching', async () => {
          site.upstream.setHost({ nativeStatus: 404 })
          const customer = await site.fund(20)
          await readText(ask(customer, { ...thinking, ...marked, stream: true }))
          const { body } = await site.upstream.requestTo('/chat/completions')
          const sent = JSON.stringify(body)
          expect({
            reasoning: /"reasoning":/.test(sent),
            thoughts: sent.includes('reasoning_details'),
            marks: sent.includes('cache_control'),
            effort: sent.includes('"reasoning_effort":"high"'),
          }).toEqual(
            host === 'openrouter'
              ? { reasoning: true, thoughts: true, marks: path === '/v1/messages', effort: false }
              : { reasoning: false, thoughts: false, marks: false, effort: path === '/v1/responses' },
          )
          expect(body).toMatchObject({ max_tokens: 900 })
        })
      })

      describeSite('is charged once and for what was delivered', { host }, site => {
        test.each(MOMENTS)('when the client leaves %s', async (moment, answer) => {
          site.upstream.setScript({ chat: answer })
          const customer = await site.fund(20)
          const body = { ...questionFor(moment), stream: true }
          await leave(site, signal => ask(customer, body, { signal }), endpoint)
          const books = await site.books()
          expectNoCentLost(books, { estimated: ESTIMATED })
          expect(books.chargedNano).toBeGreaterThan(200_000_000n)
          expect(books.chargedNano).toBeLessThanOrEqual((books.billedNano * 12n) / 10n)
        })

        test.each(MOMENTS)('when the client stops it %s', async (moment, answer) => {
          site.upstream.setScript({ chat: answer })
          const customer = await site.fund(20)
          const body = { ...questionFor(moment), stream: true }
          const paths = { upstream: endpoint, own: path }
          const stopped = await stop(site, customer, headers => ask(customer, body, { headers }), paths)
          expect(stopped.status).toBe(200)
          const books = await site.books()
          expectNoCentLost(books, { estimated: ESTIMATED })
          expect(books.chargedNano).toBeGreaterThan(200_000_000n)
          expect(books.chargedNano).toBeLessThanOrEqual((books.billedNano * 12n) / 10n)
        })

        test('when a disconnected client resumes it to its end', async () => {
          site.upstream.setScript({ chat: { steps: [...say(100), GATE, { type: 'text', text: 'end' }] } })
          const customer = await site.fund(20)
          const resumeKey = makeResumeKey()
          const abort = new AbortController()
          const headers = { 'x-resume-key': resumeKey }
          const reading = readText(ask(customer, { stream: true }, { headers, signal: abort.signal }))
          await site.upstream.gates.reached('mid')
          abort.abort()
          await reading
          site.upstream.gates.open('mid')
          const text = await readText(customer.resume(resumeKey, path))
          expect(text).toContain(`event: ${lastEvent}\n`)
          expect(text.match(/ word/g)?.length).toBeGreaterThanOrEqual(100)
          const books = await site.books()
          expectNoCentLost(books)
          expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
          expect(books.bills).toHaveLength(1)
        })

        test('when it is repeated under the same idempotency key', async () => {
          const customer = await site.fund(20)
          const headers = { 'idempotency-key': 'once' }
          const texts = await Promise.all(
            Array.from({ length: 4 }, () => readText(ask(customer, { stream: true }, { headers }))),
          )
          expect(new Set(texts).size).toBe(1)
          expect(await readText(ask(customer, { stream: true }, { headers }))).toBe(texts[0])
          const books = await site.books()
          expect(books.bills).toHaveLength(1)
          expect(books).toMatchObject({ chargedNano: books.billedNano, lossNano: 0n })
        })

        test.each<[string, Answer]>([
          ['an error status', { status: 503, body: OVERLOADED }],
          ['an error before any output', { steps: [{ type: 'error', error: OVERLOADED.error }] }],
          ['a cut before any output', { steps: [{ type: 'destroy' }] }],
        ])('not at all after %s', async (_, answer) => {
          for (const upstream of [site.upstream, site.second]) upstream.setScript({ chat: answer })
          const customer = await site.fund(20)
          await readText(ask(customer, { stream: true }))
          const books = await site.books()
          expectNoCentLost(books)
          expect(books).toMatchObject({ chargedNano: 0n, billedNano: 0n })
        })

        test('for the output before the connection breaks', async () => {
          site.upstream.setScript({ chat: { steps: [...say(300), { type: 'destroy' }] } })
          const customer = await site.fund(20)
          expect(await readText(ask(customer, { stream: true }))).toContain('upstream_error')
          const books = await site.books()
          expectNoCentLost(books, { estimated: ESTIMATED })
          expect(books.chargedNano).toBeGreaterThan(200_000_000n)
        })

        test('not without balance, when it is refused in the dialect’s shape without an upstream request', async () => {
          const customer = await site.fund(0.01)
          const reply = await ask(customer)
          expect(reply.status).toBe(402)
          expect(await reply.json()).toMatchObject(shortage)
          expect((await site.books()).bills).toEqual([])
        })
      })
    },
  )
})
