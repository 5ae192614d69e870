import { describe, expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import type { Step } from '@/test/stand-ins/upstream-script'
import { ask, newResumeKey, ownCount } from '@/test/support/exchange-calls'
import { openReader, readAll, textOf, usageOf } from '@/test/support/exchange-replies'
import { createCustomer, onlyUsage, startSite, waitForUsage } from '@/test/support/exchange-site'
import { NO_RECORD, useStandInUpstream } from '@/test/support/stand-in-upstream'
import { resumeNameOf } from './request-headers'

const WORDS = ['one ', 'two ', 'three ', 'four ', 'five ']
/** Every word waits until its reader has been seen to have the one before. */
const STEPS = [
  ...WORDS.flatMap((word, index): Step[] => [
    { type: 'gate', name: `word ${index}` },
    { type: 'text', text: word },
  ]),
  { type: 'gate', name: `word ${WORDS.length}` } as const,
]
const COUNTS = WORDS.map((_, index) => index)

describeOnPostgres('a reader that leaves', getDatabase => {
  const upstream = useStandInUpstream({ chat: { steps: STEPS, promptTokens: 10 }, generation: NO_RECORD })
  const site = () => startSite({ database: getDatabase(), upstream })
  const openGates = (from: number, to: number) => {
    for (let index = from; index < to; index += 1) upstream.gates.open(`word ${index}`)
  }

  describe('an API client', () => {
    test('that leaves before the first word of a model that can think pays for what it is told at the end', async () => {
      const running = site()
      const customer = await createCustomer(running.ledger, 1)
      const client = new AbortController()
      const body = { model: 'standin/large' }
      const idempotencyKey = 'left and read to its end'
      const reply = ask(running, customer, { signal: client.signal, body, idempotencyKey })
      await upstream.gates.reached('word 0')
      client.abort()
      openGates(0, WORDS.length + 1)
      await reply
      expect(await (await upstream.requestTo('/chat/completions')).ended).toBe('completed')
      expect(await waitForUsage(running.ledger, customer)).toMatchObject({
        status: 'disconnected',
        costBasis: 'upstream_tokens',
        chargedNano: 250_000n,
      })
      const again = await readAll(await ask(running, customer, { body, idempotencyKey }))
      expect(textOf(again)).toBe(WORDS.join(''))
      expect(again).toContain('[DONE]')
    })

    test('that leaves before a word has come keeps nothing of the answer waiting', async () => {
      const long = Array.from({ length: 64 }, () => ({ type: 'text' as const, text: 'word '.repeat(10_000) }))
      upstream.setScript({ chat: { steps: [{ type: 'gate', name: 'silence' }, ...long], promptTokens: 10 } })
      const running = site()
      const customer = await createCustomer(running.ledger, 1)
      const client = new AbortController()
      const reply = ask(running, customer, { signal: client.signal, body: { model: 'standin/large' } })
      await upstream.gates.reached('silence')
      client.abort()
      upstream.gates.open('silence')
      await reply
      expect(await (await upstream.requestTo('/chat/completions')).ended).toBe('completed')
      expect(await waitForUsage(running.ledger, customer)).toMatchObject({ status: 'disconnected' })
    })

    test.each(COUNTS)('that leaves after chunk %i pays for what was delivered', async index => {
      const running = site()
      const customer = await createCustomer(running.ledger, 1)
      openGates(0, index + 1)
      const reader = openReader(await ask(running, customer))
      await reader.readUntil(WORDS[index] ?? '')
      await reader.leave()
      expect(await (await upstream.requestTo('/chat/completions')).ended).toBe('aborted')
      const usage = await waitForUsage(running.ledger, customer)
      const { outputTokenCount, chargedNano } = await ownCount(WORDS.slice(0, index + 1).join(''))
      expect(usage).toMatchObject({ status: 'disconnected', costBasis: 'local_count', outputTokenCount })
      expect(usage.chargedNano).toBe(chargedNano)
    })

    test('that leaves at the very end pays the whole answer once', async () => {
      const running = site()
      const customer = await createCustomer(running.ledger, 1)
      openGates(0, WORDS.length + 1)
      const client = new AbortController()
      const stream = await readAll(await ask(running, customer, { signal: client.signal }))
      client.abort()
      expect(usageOf(stream)).toMatchObject({ cost: 0.00002 })
      expect(await onlyUsage(running.ledger, customer)).toMatchObject({
        status: 'completed',
        chargedNano: 20_000n,
      })
    })

    test('that takes nothing any more is gone after a while, and costs the upstream nothing more', async () => {
      const limits = { readerStallTimeoutMs: 30, drainMsMax: 50 }
      const running = startSite({ database: getDatabase(), upstream, limits })
      const customer = await createCustomer(running.ledger, 1)
      const letters = 'x'.repeat(8_000)
      upstream.setScript({
        chat: { steps: [{ type: 'text', text: letters, times: 4_000 }], ignoresMaxTokens: true },
        generation: NO_RECORD,
      })
      const reply = await ask(running, customer)
      const usage = await waitForUsage(running.ledger, customer)
      const request = await upstream.requestTo('/chat/completions')
      expect(await request.ended).toBe('aborted')
      expect(request.sentEventCount).toBeLessThan(4_000)
      expect(usage.status).toBe('disconnected')
      await expect(readAll(reply)).rejects.toThrow()
    })
  })

  describe('a browser', () => {
    test.each([-1, ...COUNTS])(
      'that leaves after chunk %i gets the rest and pays for the whole',
      async index => {
        const running = site()
        const customer = await createCustomer(running.ledger, 1)
        const resumeKey = newResumeKey()
        const client = new AbortController()
        const first = ask(running, customer, { resumeKey, signal: client.signal })
        await upstream.gates.reached('word 0')
        openGates(0, index + 1)
        let seen = ''
        if (index < 0) {
          client.abort()
        } else {
          const reader = openReader(await first)
          seen = await reader.readUntil(WORDS[index] ?? '')
          await reader.leave()
          client.abort()
        }
        const lastEventId = Number(/id: (\d+)\n(?!.*id: )/s.exec(seen)?.[1] ?? 0)
        const resumed = running.exchanges.resume({
          credential: customer.credential,
          name: resumeNameOf(resumeKey),
          resumeKey,
          lastEventId,
          signal: new AbortController().signal,
        })
        openGates(0, WORDS.length + 1)
        const rest = await readAll(await resumed)
        expect(textOf(seen) + textOf(rest)).toBe(WORDS.join(''))
        expect(rest.endsWith('data: [DONE]\n\n')).toBe(true)
        expect(await waitForUsage(running.ledger, customer)).toMatchObject({
          status: 'completed',
          querySource: 'web',
          chargedNano: 20_000n,
        })
      },
    )
  })
})
