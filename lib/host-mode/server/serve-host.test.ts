import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { listenToLog } from '@/test/support/log-lines'
import { type HostContract, verb } from '../domain/contract'
import { wireAmount, wireNothing, wireTime } from '../domain/values'
import { served, serveHost } from './serve-host'

const TOKEN = 'token of the host'
const AMOUNT_MAX = 9_007_199_254_740_993n

const VERBS = {
  add: verb({
    input: z.object({ amountNano: wireAmount, at: wireTime }),
    output: z.object({ sumNano: wireAmount, at: wireTime }),
  }),
  fail: verb({ input: wireNothing, output: z.null() }),
}
const contract: HostContract<typeof VERBS> = {
  folder: 'test',
  verbs: VERBS,
  timeoutMs: 100,
  requestBytesMax: 200,
  responseBytesMax: 200,
  toRefusal: () => 'too_many_keys',
  toError: (_refusal, message) => new Error(message),
}
const answers = {
  add: async ({ amountNano, at }: { amountNano: bigint; at: Date }) => ({
    sumNano: amountNano + AMOUNT_MAX,
    at,
  }),
  fail: () => Promise.reject(new Error('a password')),
}
const offers = [served(contract, answers), served({ ...contract, suffix: 'Other' }, answers)]
const question = { amountNano: '2', at: '2026-11-22T00:00:00.000Z' }

function ask({
  name = 'add',
  body = JSON.stringify(question),
  authorization = `Bearer ${TOKEN}`,
  token = TOKEN,
}: {
  name?: string
  body?: string
  authorization?: string | null
  token?: string
} = {}) {
  const headers = authorization === null ? undefined : { authorization }
  const request = new Request('https://host.test/', { method: 'POST', body, headers })
  return serveHost({ request, verb: name, token, offers })
}

async function told(answer: Promise<Response>) {
  const { status, body } = await answer.then(async reply => ({
    status: reply.status,
    body: await reply.json(),
  }))
  return [status, body]
}

function refused(status: number, code: string) {
  return [status, { error: { code } }]
}

describe('the API for other deployments', () => {
  test.each([null, '', 'Bearer ', 'Bearer wrong', TOKEN, `Bearer ${TOKEN}x`, `Basic ${TOKEN}`])(
    'refuses the authorization %j, whatever else is sent',
    async authorization => {
      expect(await told(ask({ authorization, name: 'nothing', body: 'no JSON' }))).toEqual(
        refused(401, 'unauthorized'),
      )
    },
  )

  test('refuses every request if no token is configured', async () => {
    expect(await told(ask({ authorization: 'Bearer ', token: '' }))).toEqual(refused(401, 'unauthorized'))
  })

  test.each(['', 'unknown', 'constructor', '__proto__', 'toString', 'Other', 'unknownOther'])(
    'has no verb %j',
    async name => {
      expect(await told(ask({ name }))).toEqual(refused(404, 'unknown_verb'))
    },
  )

  test.each(['add', 'addOther'])('answers with amounts and dates as exact strings: %s', async name => {
    const answer = await ask({ name })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.json()).toEqual({ sumNano: '9007199254740995', at: question.at })
  })

  test.each([
    null,
    [],
    'text',
    7,
    {},
    { ...question, amountNano: 2 },
    { ...question, amountNano: '2.5' },
    { ...question, at: 'soon' },
  ])('refuses the invalid input %j', async body => {
    expect(await told(ask({ body: JSON.stringify(body) }))).toEqual(refused(400, 'invalid_input'))
  })

  test('accepts only JSON, and only up to the contract’s size limit', async () => {
    await expect(ask({ body: 'no JSON' })).rejects.toMatchObject({ code: 'invalid_request' })
    const body = JSON.stringify({ ...question, more: 'x'.repeat(200) })
    await expect(ask({ body })).rejects.toMatchObject({ code: 'request_too_large' })
  })

  test('answers a failure with the contract’s code only', async () => {
    expect(await told(ask({ name: 'fail', body: '{}' }))).toEqual(refused(409, 'too_many_keys'))
  })
})

test.each([
  ['unavailable', 'ledger unavailable'],
  ['gateway_error', 'payment gateway failed'],
] as const)('why a verb failed with %s is in the log of this deployment alone', async (code, message) => {
  const log = listenToLog()
  const failing = served({ ...contract, toRefusal: () => code }, answers)
  const request = new Request('https://host.test/', {
    method: 'POST',
    body: '{}',
    headers: { authorization: `Bearer ${TOKEN}` },
  })
  const answer = await serveHost({ request, verb: 'fail', token: TOKEN, offers: [failing] })
  expect(await answer.json()).toEqual({ error: { code } })
  expect(log.messages()).toEqual([message])
  expect(log.text()).toContain('a password')
  log.stop()
})
