import { expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { ANSWER_BYTES_MAX, type AnswerTimes } from '@/lib/exchange/domain/exchange-limits'
import { EVENT_BYTES_MAX } from '@/lib/upstream/event-stream'
import type { Answer } from '@/test/stand-ins/upstream-script'
import { type AskOptions, ask, ownCount } from '@/test/support/exchange-calls'
import { readAll, textOf } from '@/test/support/exchange-replies'
import {
  createCustomer,
  onlyUsage,
  startSite,
  type TestCustomer,
  type TestSite,
} from '@/test/support/exchange-site'
import { NO_RECORD, useStandInUpstream } from '@/test/support/stand-in-upstream'

const hugeEvent = { type: 'raw' as const, text: `data: ${'x'.repeat(EVENT_BYTES_MAX)}` }

describeOnPostgres('an answer that nobody can read to its end', getDatabase => {
  const upstream = useStandInUpstream({})

  const asked = () => upstream.requests.filter(({ method }) => method === 'POST')

  /** Asks a new customer's question, which may fail, and looks at what is in the books. */
  async function booksOf(chat: Answer, options: AskOptions, times: Partial<AnswerTimes> = {}) {
    upstream.setScript({ chat, generation: NO_RECORD })
    const site = startSite({ database: getDatabase(), upstream, times })
    const customer = await createCustomer(site.ledger, 1)
    const again = () => ask(site, customer, options)
    const outcome = await again().then(readAll, error => error)
    return { outcome, again, ...(await bookedOf(site, customer)) }
  }

  async function bookedOf({ ledger }: TestSite, customer: TestCustomer) {
    const { heldNano, chargedNano } = await onlyUsage(ledger, customer)
    const held = await getDatabase()
      .kysely.selectFrom('hold')
      .where('account_id', '=', customer.accountId)
      .select('loss_nano')
      .executeTakeFirstOrThrow()
    return { heldNano, chargedNano, lossNano: held.loss_nano }
  }

  test('because it is too large costs its customer nothing, is booked in full, and is not asked for again', async () => {
    const body = 'x'.repeat(ANSWER_BYTES_MAX + 1)
    const options = { body: { stream: false, top_logprobs: 20 }, idempotencyKey: 'once' }
    const books = await booksOf({ body, contentType: 'application/json' }, options)
    // A fault of the request: libraries repeat what failed by a fault of the server, and each would be billed again.
    expect(books.outcome).toMatchObject({ code: 'invalid_request', status: 422 })
    expect(books.outcome.message).toMatch(/more than 64 MB/)
    expect(books).toMatchObject({ chargedNano: 0n, lossNano: books.heldNano })
    expect((await books.again()).status).toBe(422)
    expect(asked()).toHaveLength(1)
  })

  test.each([408, 504, 522, 524])('because a proxy gave it up with %i is booked in full', async status => {
    const books = await booksOf({ status, body: {} }, { body: { stream: false } })
    expect(books.outcome).toMatchObject({ code: 'upstream_error', status: 502 })
    expect(books).toMatchObject({ chargedNano: 0n, lossNano: books.heldNano })
  })

  test('because it is cut in its middle is booked in full: its host had finished it', async () => {
    const headers = { 'content-length': '1000', connection: 'close' }
    const books = await booksOf({ body: '{"choices":[', headers }, { body: { stream: false } })
    expect(books.outcome).toMatchObject({ code: 'upstream_error', status: 502 })
    expect(books).toMatchObject({ chargedNano: 0n, lossNano: books.heldNano })
  })

  test('because it stops in its middle is given up, and booked in full', async () => {
    const answer: Answer = { body: '{"choices":[', headers: { 'content-length': '1000' } }
    const books = await booksOf(answer, { body: { stream: false } }, { bodyTimeoutMs: 50 })
    expect(books.outcome).toMatchObject({ code: 'upstream_timeout', status: 504 })
    expect(books).toMatchObject({ chargedNano: 0n, lossNano: books.heldNano })
  })

  test.each<[string, Answer]>([
    ['its headers', { beforeHeaders: [{ type: 'hang' }] }],
    ['its first word', { steps: [{ type: 'hang' }] }],
  ])('because it stops before %s is given up, and booked in full', async (_, answer) => {
    const books = await booksOf(answer, {}, { firstByteTimeoutMs: 50 })
    expect(books.outcome).toMatchObject({ code: 'upstream_timeout', status: 504 })
    expect(books).toMatchObject({ chargedNano: 0n, lossNano: books.heldNano })
  })

  test('because its host itself gave it up is booked as the prompt that it had read', async () => {
    const body = { error: { code: 504, message: 'The provider took too long.' } }
    const books = await booksOf({ status: 504, body }, { body: { stream: false } })
    const { chargedNano: promptNano } = await ownCount('')
    expect(books).toMatchObject({ chargedNano: 0n, lossNano: promptNano })
  })

  test('because the process ends before it begins is booked in full', async () => {
    upstream.setScript({ chat: { beforeHeaders: [{ type: 'gate', name: 'asked' }] } })
    const site = startSite({ database: getDatabase(), upstream, limits: { drainTimeoutMs: 1 } })
    const customer = await createCustomer(site.ledger, 1)
    const outcome = ask(site, customer, { body: { stream: false } }).then(readAll, error => error)
    await upstream.gates.reached('asked')
    await site.exchanges.drain()
    expect(await outcome).toMatchObject({ code: 'internal_error' })
    const books = await bookedOf(site, customer)
    expect(books).toMatchObject({ chargedNano: 0n, lossNano: books.heldNano })
  })

  test('because its first event is too large is booked in full', async () => {
    const books = await booksOf({ steps: [hugeEvent] }, {})
    expect(books.outcome).toMatchObject({ code: 'upstream_error', status: 502 })
    expect(books).toMatchObject({ chargedNano: 0n, lossNano: books.heldNano })
  })

  test('because a later event is too large is charged as far as it was read, and the rest is booked', async () => {
    const books = await booksOf({ steps: [{ type: 'text', text: 'Hello' }, hugeEvent] }, {})
    expect(textOf(books.outcome)).toBe('Hello')
    const { chargedNano } = await ownCount('Hello')
    expect(books).toMatchObject({ chargedNano, lossNano: books.heldNano - chargedNano })
  })

  test('because it is in one piece where a stream was asked for is booked as it was told', async () => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }]
    const usage = { prompt_tokens: 20, completion_tokens: 400 }
    const books = await booksOf({ body: { id: 'gen-1', model: 'standin/small', choices, usage } }, {})
    expect(books.outcome).toMatchObject({ code: 'upstream_error', status: 502 })
    expect(books).toMatchObject({ chargedNano: 0n, lossNano: 820_000n })
  })

  const whole = JSON.stringify({ choices: [{ index: 0, message: { content: 'Hello' } }] })
  test.each<[string, string, string, boolean]>([
    ['its JSON breaks off', whole.slice(0, -5), 'application/json', false],
    ['its JSON is damaged', whole.replace('Hello', 'Hel\nlo'), 'application/json', false],
    ['it is a stream where one piece was asked for', `data: ${whole}\n\n`, 'text/event-stream', false],
    ['it is in one piece, without usage, where a stream was asked for', whole, 'application/json', true],
  ])('because %s is booked in full: its host had written it', async (_, body, contentType, stream) => {
    const books = await booksOf({ body, contentType }, { body: { stream } })
    expect(books.outcome).toMatchObject({ code: 'upstream_error', status: 502 })
    expect(books).toMatchObject({ chargedNano: 0n, lossNano: books.heldNano })
  })

  const said = [{ type: 'text' as const, text: 'Hello' }]
  test.each<[string, Answer, boolean]>([
    ['compressed', { headers: { 'content-encoding': 'gzip' }, steps: said }, false],
    ['a compressed stream', { headers: { 'content-encoding': 'br' }, steps: said }, true],
    ['only accepted, says its status', { status: 202, steps: said }, false],
    ['only a part, says its status', { status: 206, steps: said }, true],
  ])('because it is %s is booked in full: its host may have written it', async (_, answer, stream) => {
    const books = await booksOf(answer, { body: { stream } })
    expect(books.outcome).toMatchObject({ code: 'upstream_error', status: 502 })
    expect(books).toMatchObject({ chargedNano: 0n, lossNano: books.heldNano })
    expect(asked()).toHaveLength(1)
  })

  test.each<[string, string, string]>([
    ['a page', '<html>Bad gateway</html>', 'text/html'],
    ['nothing', '', 'application/json'],
    ['other JSON', '{"status":"ok"}', 'application/json'],
  ])('because it is %s is booked as the prompt', async (_, body, contentType) => {
    const books = await booksOf({ body, contentType }, { body: { stream: false } })
    const { chargedNano: promptNano } = await ownCount('')
    expect(books).toMatchObject({ chargedNano: 0n, lossNano: promptNano })
  })
})
