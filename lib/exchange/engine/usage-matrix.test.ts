import { expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Answer, UsageScript } from '@/test/stand-ins/upstream-script'
import { ask, ownCount } from '@/test/support/exchange-calls'
import { readAll, usageOf } from '@/test/support/exchange-replies'
import { createCustomer, onlyUsage, startSite } from '@/test/support/exchange-site'
import { NO_RECORD, useStandInUpstream } from '@/test/support/stand-in-upstream'

/** Within the bytes of the question. */
const TRUE_COUNTS = { prompt_tokens: 40, completion_tokens: 50, total_tokens: 90 }
/** 40 tokens in and 50 out, at the stand-in's prices. */
const TRUE_COST_NANO = 140_000n
const ANSWER = 'twenty letters here.'
/** Of the stand-in's models. */
const CONTEXT_LENGTH = 32_000

const value = (reported: unknown): UsageScript => ({ mode: 'value', value: reported })

describeOnPostgres('the usage that an upstream reports', getDatabase => {
  const upstream = useStandInUpstream({})

  async function charge(usage: UsageScript, answer: Answer = {}, model = 'standin/small') {
    // No record to fall back on, so that the matrix is about usage alone.
    const steps = [{ type: 'text' as const, text: ANSWER }]
    upstream.setScript({ chat: { steps, usage, ...answer }, generation: NO_RECORD })
    const site = startSite({ database: getDatabase(), upstream })
    const customer = await createCustomer(site.ledger, 1)
    const stream = await readAll(await ask(site, customer, { body: { model } }))
    const told = usageOf(stream)
    return { usage: await onlyUsage(site.ledger, customer), told, reports: site.reports }
  }

  test.each<[string, UsageScript]>([
    ['absent', { mode: 'absent' }],
    ['null', value(null)],
    ['empty', value({})],
    ['zero', value({ prompt_tokens: 0, completion_tokens: 0, cost: 0 })],
    ['negative', value({ prompt_tokens: -100, completion_tokens: -50, cost: -1 })],
    ['of wrong types', value({ prompt_tokens: '100', completion_tokens: [50], cost: {} })],
    ['a text', value('100 tokens')],
    ['a list', value([100, 50])],
    ['fractional', value({ prompt_tokens: 1.5, completion_tokens: 2.5 })],
    ['half there', value({ prompt_tokens: 100 })],
  ])('when it is %s, our own count is charged and marked as estimated', async (_case, script) => {
    const { usage, told } = await charge(script)
    const own = await ownCount(ANSWER)
    expect(usage).toMatchObject({
      ...own,
      costBasis: 'local_count',
      estimated: true,
    })
    const cost = Number(own.chargedNano) / 1e9
    expect(told).toMatchObject({ estimated: true, cost, completion_tokens: own.outputTokenCount })
  })

  test.each<[string, UsageScript]>([
    ['once', value(TRUE_COUNTS)],
    ['twice', { mode: 'values', values: [TRUE_COUNTS, TRUE_COUNTS] }],
    ['growing', { mode: 'values', values: [{ prompt_tokens: 40, completion_tokens: 10 }, TRUE_COUNTS] }],
    ['and then zero', { mode: 'values', values: [TRUE_COUNTS, { prompt_tokens: 0, completion_tokens: 0 }] }],
    ['and then null', { mode: 'values', values: [TRUE_COUNTS, null] }],
    ['with a cost that is none', value({ ...TRUE_COUNTS, cost: 'free' })],
    ['with a cost of zero for a model that has a price', value({ ...TRUE_COUNTS, cost: 0 })],
  ])('when counts are reported %s, they are charged once at the price', async (_case, script) => {
    const { usage, told } = await charge(script)
    expect(usage).toMatchObject({
      costBasis: 'upstream_tokens',
      estimated: false,
      chargedNano: TRUE_COST_NANO,
    })
    expect(told).not.toHaveProperty('estimated')
  })

  test('when every chunk has a running count, the last one is charged', async () => {
    const { usage } = await charge({ mode: 'cumulative' }, { promptTokens: 40 })
    expect(usage).toMatchObject({ costBasis: 'upstream_tokens', chargedNano: 42_000n })
  })

  test('when counts exceed what was sent and requested, no more than that is charged', async () => {
    const { usage } = await charge(value({ prompt_tokens: 790_000, completion_tokens: 1e12 }))
    expect(usage).toMatchObject({ costBasis: 'upstream_tokens', chargedNano: usage.heldNano })
  })

  test('a cost above the hold is charged up to the hold, and the rest reported to the operator', async () => {
    const { usage, reports } = await charge(value({ ...TRUE_COUNTS, cost: 5_000 }))
    expect(usage).toMatchObject({ costBasis: 'upstream_cost', chargedNano: usage.heldNano })
    expect(reports).toEqual([expect.stringContaining('operator loss')])
  })

  test('a prompt that is longer than the model’s context counts as what fits into it', async () => {
    upstream.setScript({ chat: { steps: [{ type: 'text', text: ANSWER }], usage: { mode: 'absent' } } })
    const site = startSite({ database: getDatabase(), upstream })
    const customer = await createCustomer(site.ledger, 9)
    const messages = [{ role: 'user', content: 'word '.repeat(CONTEXT_LENGTH + 1_000) }]
    await readAll(await ask(site, customer, { body: { messages } }))
    const usage = await onlyUsage(site.ledger, customer)
    expect(usage).toMatchObject({ costBasis: 'local_count', inputTokenCount: CONTEXT_LENGTH })
    expect(usage.chargedNano).toBeLessThan(usage.heldNano)
    expect(site.reports).toEqual([])
  })

  test('a cost as text is read exactly', async () => {
    const { usage } = await charge(value({ ...TRUE_COUNTS, cost: '0.000123456' }))
    expect(usage).toMatchObject({ costBasis: 'upstream_cost', chargedNano: 123_456n })
  })

  test.each([
    ['of ten thousand characters', 'x'.repeat(10_000)],
    ['with a character that the database cannot store', 'gen-\0'],
  ])('an answer with an id %s is charged, and listed without it', async (_case, id) => {
    const data = { id, choices: [{ index: 0, delta: { content: ANSWER } }] }
    const { usage } = await charge(value(TRUE_COUNTS), { steps: [{ type: 'event', data }] })
    expect(usage).toMatchObject({ status: 'completed', chargedNano: TRUE_COST_NANO })
    expect(usage).not.toHaveProperty('answerId')
  })

  test('a free model costs nothing, whatever is reported', async () => {
    const { usage } = await charge(value({ ...TRUE_COUNTS, cost: 0.2 }), {}, 'standin/free')
    expect(usage.chargedNano).toBe(0n)
  })

  test('an answer without usage is charged by the upstream’s record of it', async () => {
    upstream.setScript({ chat: { usage: { mode: 'absent' }, costUsd: 0.00042 } })
    const site = startSite({ database: getDatabase(), upstream })
    const customer = await createCustomer(site.ledger, 1)
    await readAll(await ask(site, customer))
    expect(await onlyUsage(site.ledger, customer)).toMatchObject({
      costBasis: 'upstream_record',
      chargedNano: 420_000n,
    })
  })

  test('fifty answers of one token cost as much as one of fifty', async () => {
    const site = startSite({ database: getDatabase(), upstream })
    const [many, one] = [await createCustomer(site.ledger, 1), await createCustomer(site.ledger, 1)]
    upstream.setScript({ chat: { usage: value({ prompt_tokens: 1, completion_tokens: 1 }) } })
    await Promise.all(
      Array.from({ length: 50 }, async () => readAll(await ask(site, many, { body: { max_tokens: 20 } }))),
    )
    upstream.setScript({ chat: { usage: value({ prompt_tokens: 50, completion_tokens: 50 }) } })
    await readAll(await ask(site, one))
    const balances = await Promise.all(
      [many, one].map(({ credential }) => site.ledger.getBalance({ credential })),
    )
    expect(balances[0]?.balanceNano).toBe(balances[1]?.balanceNano)
  })
})
