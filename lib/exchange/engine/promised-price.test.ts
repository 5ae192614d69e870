import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { sql } from 'kysely'
import { describeOnPostgres } from '@/lib/db/testing'
import { ask } from '@/test/support/exchange-calls'
import { readAll } from '@/test/support/exchange-replies'
import { createCustomer, createCustomerWithNano, onlyUsage, startSite } from '@/test/support/exchange-site'
import { useStandInUpstream } from '@/test/support/stand-in-upstream'

const CENT_NANO = 10_000_000n
/** By the stand-in's small model, at a dollar and two for a million tokens. */
const ANSWER_TOKEN_NANO = 2_000n
const WORDS = 'The coin lay on the table, and nobody had thought of picking it up. '

describeOnPostgres('a price that was promised', getDatabase => {
  const upstream = useStandInUpstream({})

  /** The upstream says that it took this many tokens, whatever it was asked for. */
  const answering = (promptTokens: number, answerTokens: number) =>
    upstream.setScript({
      chat: {
        steps: [{ type: 'text', text: 'Well. ' }],
        usage: { mode: 'value', value: { prompt_tokens: promptTokens, completion_tokens: answerTokens } },
      },
    })
  const question = (repeats: number) => ({ messages: [{ role: 'user', content: WORDS.repeat(repeats) }] })
  const chats = () => upstream.requests.filter(({ path }) => path === '/chat/completions')

  const askedTokenCount = () =>
    Number((chats().at(-1)?.body as { max_tokens?: number } | undefined)?.max_tokens)

  test('limits both hold and charge, however long question and answer are', async () => {
    const site = startSite({ database: getDatabase(), upstream })
    const cases = fc.asyncProperty(
      fc.integer({ min: 1, max: 100 }),
      fc.bigInt({ min: 1n, max: CENT_NANO }),
      fc.integer({ min: 0, max: 20_000 }),
      async (repeats, maxChargeNano, answerTokens) => {
        answering(repeats * 15, answerTokens)
        const customer = await createCustomer(site.ledger, 1)
        const askedCount = chats().length
        const reply = await ask(site, customer, { body: question(repeats), maxChargeNano }).catch(
          error => error,
        )
        if (reply instanceof Error) {
          expect(reply).toMatchObject({ code: 'price_above_limit', status: 402 })
          expect(chats()).toHaveLength(askedCount)
          return
        }
        await readAll(reply)
        const { chargedNano } = await onlyUsage(site.ledger, customer)
        expect(chargedNano).toBeLessThanOrEqual(maxChargeNano)
        // What it was asked for is worth no more, beside the question's 15 tokens a sentence.
        const asked = askedTokenCount()
        expect(BigInt(asked) * ANSWER_TOKEN_NANO).toBeLessThanOrEqual(maxChargeNano)
      },
    )
    await fc.assert(cases, { numRuns: 40 })
  })

  test('allows the answer length that the estimate of an ordinary question leaves', async () => {
    answering(1_500, 900)
    const site = startSite({ database: getDatabase(), upstream })
    const customer = await createCustomer(site.ledger, 1)
    // Its bytes alone would be 6.8 million; its tokens are some 1,500.
    const maxChargeNano = 5_000_000n
    await readAll(await ask(site, customer, { body: question(100), maxChargeNano }))
    const asked = askedTokenCount()
    expect(asked).toBeGreaterThan(1_000)
    expect(await onlyUsage(site.ledger, customer)).toMatchObject({
      status: 'completed',
      chargedNano: 3_300_000n,
    })
  })

  test('that is too low for any answer is refused before an upstream is called', async () => {
    const site = startSite({ database: getDatabase(), upstream })
    const customer = await createCustomer(site.ledger, 1)
    const askedCount = chats().length
    await expect(ask(site, customer, { body: question(1), maxChargeNano: 1_000n })).rejects.toMatchObject({
      code: 'price_above_limit',
      status: 402,
      param: 'x-max-charge-usd',
      message: expect.stringMatching(/ needs at least 0\.0\d+ USD/),
      details: { required_usd: expect.any(Number) },
    })
    expect(chats()).toHaveLength(askedCount)
    expect(await site.ledger.getBalance({ credential: customer.credential })).toMatchObject({ heldNano: 0n })
  })

  test('below the possible cost of a file is refused', async () => {
    const site = startSite({ database: getDatabase(), upstream })
    const file = { filename: 'book.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' }
    const content = [
      { type: 'text', text: 'What is in it?' },
      { type: 'file', file },
    ]
    const body = { model: 'standin/large', messages: [{ role: 'user', content }] }
    const customer = await createCustomer(site.ledger, 1)
    const askedCount = chats().length
    await expect(ask(site, customer, { body, maxChargeNano: 6n * CENT_NANO })).rejects.toMatchObject({
      code: 'price_above_limit',
      status: 402,
    })
    expect(chats()).toHaveLength(askedCount)
    answering(30_000, 10)
    await readAll(await ask(site, customer, { body, maxChargeNano: 50n * CENT_NANO }))
    expect((await onlyUsage(site.ledger, customer)).chargedNano).toBe(300_300_000n)
  })

  test('is refused if it exceeds the operator’s risk limit of the day', async () => {
    const site = startSite({ database: getDatabase(), upstream })
    const customer = await createCustomer(site.ledger, 1)
    const long = { ...question(200), model: 'standin/large' }
    const lost = { risk_day: sql<string>`(now() at time zone 'UTC')::date`, risk_nano: 95n * CENT_NANO }
    await getDatabase().kysely.updateTable('account').set(lost).where('id', '=', customer.accountId).execute()
    await expect(ask(site, customer, { body: long, maxChargeNano: 6n * CENT_NANO })).rejects.toMatchObject({
      code: 'price_above_limit',
      details: { required_usd: expect.any(Number) },
    })
    // With the true bound nothing is at risk.
    answering(3_000, 10)
    await readAll(await ask(site, customer, { body: long, maxChargeNano: 30n * CENT_NANO }))
    expect(await onlyUsage(site.ledger, customer)).toMatchObject({
      status: 'completed',
      costBasis: 'upstream_tokens',
    })
  })

  test('above the balance is no risk if the balance is enough for an answer that is certain', async () => {
    answering(1_500, 10)
    const site = startSite({ database: getDatabase(), upstream })
    const customer = await createCustomerWithNano(site.ledger, 7_500_000n)
    await readAll(await ask(site, customer, { body: question(100), maxChargeNano: 8_000_000n }))
    const holds = getDatabase().kysely.selectFrom('hold').where('account_id', '=', customer.accountId)
    expect(await holds.select(['amount_nano', 'risk_nano']).executeTakeFirst()).toEqual({
      amount_nano: 7_500_000n,
      risk_nano: 0n,
    })
    // The rest of it, beside the 6.8 million of the question's bytes.
    expect(askedTokenCount()).toBeLessThan(400)
  })

  test('above the possible cost holds no more than that', async () => {
    answering(15, 10)
    const site = startSite({ database: getDatabase(), upstream })
    const customer = await createCustomer(site.ledger, 1)
    for (const promise of [{}, { maxChargeNano: 90n * CENT_NANO }])
      await readAll(await ask(site, customer, { body: question(1), ...promise }))
    const holds = getDatabase().kysely.selectFrom('hold').where('account_id', '=', customer.accountId)
    const [bound, promised] = await holds.select('amount_nano').orderBy('created_at').execute()
    expect(promised).toEqual(bound)
  })

  test('above the balance is lowered to the balance', async () => {
    answering(15, 10)
    const site = startSite({ database: getDatabase(), upstream })
    const customer = await createCustomerWithNano(site.ledger, 200_000n)
    await readAll(await ask(site, customer, { body: question(1), maxChargeNano: CENT_NANO }))
    expect(await onlyUsage(site.ledger, customer)).toMatchObject({ chargedNano: 35_000n })
  })
})
