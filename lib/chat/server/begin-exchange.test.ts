import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, jest, test } from '@jest/globals'
import { describeOnEmbedded } from '@/lib/db/testing'
import { useStandInUpstream } from './testing-upstream'

const estimatePrompt = jest.fn(() => 10)
jest.unstable_mockModule('@/lib/chat/domain/estimate-prompt', () => ({ estimatePrompt }))
const { ask, createCustomer, onlyUsage, readAll, startSite } = await import('./testing')

describeOnEmbedded('a prompt whose tokens cannot be counted', getDatabase => {
  const upstream = useStandInUpstream({})
  const failOnce = () =>
    estimatePrompt.mockImplementationOnce(() => {
      throw new RangeError('too much to count')
    })

  test('costs nothing, and leaves no upstream generating what nobody will read', async () => {
    const site = startSite({ database: getDatabase(), upstream })
    const [customer, next] = [await createCustomer(site.ledger, 1), await createCustomer(site.ledger, 1)]
    failOnce()
    await expect(ask(site, customer)).rejects.toMatchObject({ code: 'internal_error', status: 500 })
    expect(await onlyUsage(site.ledger, customer)).toMatchObject({ status: 'failed', chargedNano: 0n })
    expect(await site.ledger.getBalance(customer)).toMatchObject({ heldNano: 0n, balanceNano: 10n ** 9n })
    // Whatever the first one sent has arrived before this answer is complete.
    await readAll(await ask(site, next))
    const calls = upstream.requests.filter(({ path }) => path === '/chat/completions')
    expect(await Promise.all(calls.map(({ ended }) => ended))).toEqual(['completed'])
  })

  test('is one failure, not a second one that nobody handles, when no upstream can be asked either', async () => {
    const { catalogue } = startSite({ database: getDatabase(), upstream })
    const nowhere = { ...upstream, baseUrl: 'http://' }
    const site = startSite({ database: getDatabase(), upstream: nowhere, catalogue })
    const customer = await createCustomer(site.ledger, 1)
    failOnce()
    await expect(ask(site, customer)).rejects.toMatchObject({ code: 'internal_error', status: 500 })
    expect(await onlyUsage(site.ledger, customer)).toMatchObject({ status: 'failed', chargedNano: 0n })
    // A rejection that nobody handles fails the test, as it would end the process, once the loop has turned.
    await nextTurn()
  })
})
