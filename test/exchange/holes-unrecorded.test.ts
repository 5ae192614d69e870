import { expect, test } from '@jest/globals'
import { openReceipt } from '@/lib/ledger/domain/receipts'
import { checkCharge } from '@/scripts/verify-receipt'
import type { Answer, Step } from '@/test/stand-ins/upstream-script'
import { expectNoCentLost } from './books'
import { leave } from './caller'
import { describeSite } from './site'
import { GATE, LONG_PROMPT, NO_RECORD, say } from './steps'

describeSite('whoever leaves an answer of which OpenRouter keeps no record', { host: 'openrouter' }, site => {
  test('amid its searches leaves nothing unknown: with each result the model reads everything again', async () => {
    site.upstream.setScript({
      chat: { steps: [{ type: 'search' }, ...say(5), GATE, ...say(5)] },
      generation: NO_RECORD,
    })
    const customer = await site.fund(20)
    const tools = [{ type: 'openrouter:web_search', parameters: { max_uses: 3 } }]
    const messages = [{ role: 'user', content: LONG_PROMPT }]
    const question = { model: 'standin/searcher', messages, tools, max_tokens: 900, stream: true }
    await leave(site, signal => customer.chat(question, { signal }), '/chat/completions')
    const books = await site.books()
    expectNoCentLost(books)
    expect(books.chargedNano + books.lossNano).toBe(books.calls[0]?.heldNano)
  })

  test('at a host of its choice pays the listed price, and what that host may bill beyond is a loss', async () => {
    site.upstream.setScript({ chat: { steps: [...say(300), GATE, ...say(5)] }, generation: NO_RECORD })
    const customer = await site.fund(20)
    const messages = [{ role: 'user', content: LONG_PROMPT }]
    const provider = { only: ['dear-provider'] }
    const question = { messages, provider, max_tokens: 900, stream: true }
    await leave(site, signal => customer.chat(question, { signal }), '/chat/completions')
    const books = await site.books()
    expectNoCentLost(books, { estimated: 0.02 })
    expect(books.lossNano).toBe(2n * books.chargedNano)
  })

  test('at a cheaper host within a price limit pays no more than that limit', async () => {
    site.upstream.setScript({ chat: { steps: [...say(300), GATE, ...say(5)] }, generation: NO_RECORD })
    site.upstream.setHost({ priceFactor: 0.5 })
    const customer = await site.fund(20)
    const messages = [{ role: 'user', content: LONG_PROMPT }]
    // Half of what is listed, in dollars per million tokens.
    const provider = { max_price: { prompt: 0.5, completion: 1 } }
    const question = { messages, provider, max_tokens: 900, stream: true }
    await leave(site, signal => customer.chat(question, { signal }), '/chat/completions')
    const books = await site.books()
    expectNoCentLost(books, { estimated: 0.02 })
    expect(books.chargedNano).toBeLessThanOrEqual((books.billedNano * 102n) / 100n)
    const [{ id: holdId = '' } = {}] = books.calls
    const asked = { accountId: customer.accountId, keyId: null, holdId, iss: 'https://site.test' }
    const signed = await site.services.ledger.signReceipt(asked)
    const receipt = openReceipt(signed?.jws ?? '')
    expect(receipt && checkCharge(receipt)).toMatchObject({ outcome: 'right' })
  })

  const page = (site: string) => ({ type: 'url_citation', url_citation: { url: `https://${site}.example` } })
  const found = (...sites: string[]): Step => ({
    type: 'event',
    data: { choices: [{ index: 0, delta: { content: '', annotations: sites.map(page) } }] },
  })
  test.each<[string, Step[], number]>([
    ['no search, which it shows nothing of', [], 0],
    ['one search, whose pages it shows', [{ type: 'search' }, found('a', 'b'), found('c')], 1],
    ['as many searches as its pages need', [{ type: 'search' }, found('a', 'b', 'c', 'd', 'e', 'f')], 2],
    ['three searches, the most that were allowed', [found(...'abcdefghijklmnopqrstuvwxyz')], 3],
  ])('pays for %s, and the rest is a loss', async (_, steps, searchCount) => {
    site.upstream.setScript({
      chat: { steps: [...steps, ...say(5), GATE, ...say(5)] },
      generation: NO_RECORD,
    })
    const customer = await site.fund(20)
    const parameters = { max_uses: 3, max_results: 5 }
    const tools = [{ type: 'openrouter:web_search', parameters }]
    const messages = [{ role: 'user', content: LONG_PROMPT }]
    const question = { model: 'standin/searcher', messages, tools, max_tokens: 900, stream: true }
    await leave(site, signal => customer.chat(question, { signal }), '/chat/completions')
    const books = await site.books()
    expectNoCentLost(books)
    expect(books.chargedNano + books.lossNano).toBe(books.calls[0]?.heldNano)
    // A search costs a cent, and everything else far less.
    expect(books.chargedNano / 10_000_000n).toBe(BigInt(searchCount))
  })

  test.each<[string, object, Answer]>([
    ['read from a cache', {}, { cachedTokens: 2_000 }],
    ['written to one', { cache_control: { type: 'ephemeral' } }, {}],
  ])('pays in Messages what its host told at its beginning: %s', async (_, mark, told) => {
    site.upstream.setScript({
      chat: { ...told, steps: [...say(5), GATE, ...say(5)] },
      generation: NO_RECORD,
    })
    const customer = await site.fund(20)
    const messages = [{ role: 'user', content: [{ type: 'text', text: LONG_PROMPT, ...mark }] }]
    const question = { model: 'standin/cacher', max_tokens: 900, messages, stream: true }
    await leave(site, signal => customer.post('/v1/messages', question, { signal }), '/messages')
    const books = await site.books()
    expectNoCentLost(books, { estimated: 0.02 })
    expect(books.chargedNano).toBeLessThanOrEqual((books.billedNano * 102n) / 100n)
  })
})
