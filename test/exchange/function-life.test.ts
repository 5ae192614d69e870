import { expect, jest, test } from '@jest/globals'
import { sql } from 'kysely'
import type { Step } from '@/test/stand-ins/upstream-script'
import { untilNoticed } from './books'

// Outside of Next nothing freezes a function that has answered.
jest.unstable_mockModule('next/server', () => ({
  after: (work: unknown) => void (typeof work === 'function' ? work() : work),
}))
const { describeSite, HOSTS } = await import('./site')

/** After this long the host ends the function, whatever it is doing. */
const FUNCTION_LIFE_MS = 300_000
const STEP_MS = 5_000
const STEP_COUNT = 100

/** Four words every five seconds, for longer than the function's lifetime. */
const SLOWLY: Step[] = Array.from({ length: STEP_COUNT }, (_, index): Step[] => [
  { type: 'text', text: ' word', times: 4 },
  { type: 'gate', name: `step-${index}` },
]).flat()

for (const host of HOSTS) {
  describeSite(
    'a serverless function with a limit of five minutes',
    { host, environment: { VERCEL: '1' } },
    site => {
      test('ends a longer answer in time and charges it, or its recorded progress', async () => {
        site.upstream.setScript({ chat: { steps: SLOWLY } })
        const customer = await site.fund(20)
        const messages = [{ role: 'user', content: 'word '.repeat(300) }]
        const reply = await customer.chat({ model: 'standin/dear', messages, stream: true })
        const received = followWords(reply)
        for (let index = 0; index * STEP_MS < FUNCTION_LIFE_MS; index += 1) {
          if ((await received.upTo(4 * (index + 1))) === 'ended') break
          await site.clock.pass(STEP_MS)
          site.upstream.gates.open(`step-${index}`)
        }
        const { billedNano } = site.upstream.bills()
        // The function is gone: its hold is no longer renewed, and the sweeper finds it.
        site.clock.stop()
        await untilNoticed(site.database, new Promise(() => {}))
        await sql`update hold set expires_at = now() - interval '1 minute' where state = 'open'`.execute(
          site.database.kysely,
        )
        await site.services.ledger.sweep({ holdCountMax: 100 })
        const { rows } = await sql<{ state: string; paid: string }>`
        select state, (charged_nano + loss_nano)::text as paid from hold`.execute(site.database.kysely)
        expect(rows).toMatchObject([{ state: expect.not.stringMatching('open') }])
        expect(BigInt(rows[0]?.paid ?? 0)).toBeGreaterThanOrEqual((billedNano * 8n) / 10n)
        for (let index = 0; index < STEP_COUNT; index += 1) site.upstream.gates.open(`step-${index}`)
        await received.upTo(Number.POSITIVE_INFINITY)
        await site.books()
      })
    },
  )
}

/** Reads a stream up to a number of its words. */
function followWords(reply: Response) {
  const reader = reply.body?.getReader()
  const decoder = new TextDecoder()
  let seen = ''
  return {
    async upTo(wordCount: number): Promise<'came' | 'ended'> {
      while (seen.split('" word"').length - 1 < wordCount) {
        const piece = await reader?.read().catch(() => undefined)
        if (piece?.value === undefined) return 'ended'
        seen += decoder.decode(piece.value, { stream: true })
      }
      return 'came'
    },
  }
}
