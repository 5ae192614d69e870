import { expect, test } from '@jest/globals'
import { describeOnPostgres } from '@/lib/db/testing'
import { onServerError, type ServerErrorEvent } from '@/lib/http/server-errors'
import { ask } from '@/test/support/exchange-calls'
import { openReader } from '@/test/support/exchange-replies'
import { createCustomer, startSite, type TestSite } from '@/test/support/exchange-site'
import { listenToLog } from '@/test/support/log-lines'
import { HALF_AN_ANSWER, useStandInUpstream } from '@/test/support/stand-in-upstream'
import type { Kind } from './kind'

/** The kind with a fault of ours, which shows as soon as an upstream answers. */
function faulty(kind: Kind): Kind {
  const open = () => {
    throw new TypeError('count is not a function')
  }
  return {
    ...kind,
    async quote(input) {
      const quote = await kind.quote(input)
      return { ...quote, callFor: heldNano => ({ ...quote.callFor(heldNano), open }) }
    },
  }
}

describeOnPostgres('a fault of ours in an answer that has begun', getDatabase => {
  const upstream = useStandInUpstream(HALF_AN_ANSWER)
  const limits = { commentIntervalMs: 5, jsonSilenceMsMax: 5 }

  test.each([
    { form: 'JSON', stream: false },
    { form: 'a stream', stream: true },
  ])('is told to the operator: $form', async ({ stream }) => {
    const running = startSite({ database: getDatabase(), upstream, limits })
    const site: TestSite = { ...running, kinds: { ...running.kinds, chat: faulty(running.kinds.chat) } }
    const customer = await createCustomer(site.ledger, 1)
    upstream.setScript({ chat: { beforeHeaders: [{ type: 'gate', name: 'thought' }] } })
    const events: ServerErrorEvent[] = []
    onServerError(event => events.push(event))
    const log = listenToLog()
    const reader = openReader(await ask(site, customer, { body: { stream } }))
    await reader.readUntil('\n')
    upstream.gates.open('thought')
    expect(await reader.readToEnd()).toContain('"code":"internal_error"')
    const logged = log.lines().filter(({ message }) => message === 'internal error')
    log.stop()
    expect(logged).toMatchObject([{ error: 'TypeError: count is not a function' }])
    expect(events).toMatchObject([{ status: 500, request: null, error: { code: 'internal_error' } }])
  })
})
