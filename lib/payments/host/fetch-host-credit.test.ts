import { createServer, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { listen } from '@/test/support/listen'
import { fetchHostCredit } from './fetch-host-credit'

const CREDIT_ID = '4af59b9d-f6ec-4531-82f7-ce776d49e207'
const GOOD = JSON.stringify({ credit_id: CREDIT_ID, amount_usd: 1.25 })

describe('the payments host', () => {
  let reply: (response: ServerResponse) => void = response => response.end(GOOD)
  let host = ''
  const asked: { url?: string; authorization?: string }[] = []
  const server = createServer((request, response) => {
    asked.push({ url: request.url, authorization: request.headers.authorization })
    reply(response)
  })
  let stop: () => Promise<void>
  beforeAll(async () => {
    const listening = await listen(server)
    stop = listening.stop
    host = `http://127.0.0.1:${listening.port}`
  })
  afterAll(() => stop())
  const ask = () => fetchHostCredit({ host, token: 'host-token', creditId: CREDIT_ID })

  test('is asked with its token, and its record is returned', async () => {
    reply = response => response.end(GOOD)
    expect(await ask()).toEqual({ outcome: 'found', record: { credit_id: CREDIT_ID, amount_usd: 1.25 } })
    expect(asked.at(-1)).toEqual({
      url: `/api/payments/account/${CREDIT_ID}/credit`,
      authorization: 'Bearer host-token',
    })
  })

  test.each(['{"error":"Not Found"}', '{"error":"Unknown credit"}'])(
    'may not know the credit, and says so: %s',
    async body => {
      reply = response => response.writeHead(404).end(body)
      expect(await ask()).toEqual({ outcome: 'unknown' })
    },
  )

  test.each([`{"credit_id":"${CREDIT_ID}"}`, `{"credit_id":"${CREDIT_ID}","amount_usd":null}`])(
    'has zero credit if it sends no amount: %s',
    async body => {
      reply = response => response.end(body)
      expect(await ask()).toEqual({ outcome: 'found', record: { credit_id: CREDIT_ID, amount_usd: 0 } })
    },
  )

  test.each([
    ['another credit_id', '{"credit_id":"00000000-0000-4000-8000-000000000000","amount_usd":1000}'],
    ['a negative amount', `{"credit_id":"${CREDIT_ID}","amount_usd":-1}`],
    ['an infinite amount', `{"credit_id":"${CREDIT_ID}","amount_usd":1e999}`],
    ['text for an amount', `{"credit_id":"${CREDIT_ID}","amount_usd":"1.25"}`],
    ['something other than JSON', '<html>'],
    ['nothing', ''],
    ['too long a body', `{"credit_id":"${CREDIT_ID}","amount_usd":1,"more":"${'x'.repeat(5000)}"}`],
  ])('is unavailable when it answers %s', async (_what, body) => {
    reply = response => response.end(body)
    expect(await ask()).toEqual({ outcome: 'unavailable' })
  })

  test.each(['<html>404 Not Found</html>', '', '{"error":{"code":"not_found"}}', '{"message":"Not Found"}'])(
    'is unavailable when a proxy says 404 in its place: %s',
    async body => {
      reply = response => response.writeHead(404).end(body)
      expect(await ask()).toEqual({ outcome: 'unavailable' })
    },
  )

  test('is unavailable when it fails, redirects or hangs up', async () => {
    reply = response => response.writeHead(500).end(GOOD)
    expect(await ask()).toEqual({ outcome: 'unavailable' })
    reply = response => response.writeHead(302, { location: `${host}/elsewhere` }).end()
    expect(await ask()).toEqual({ outcome: 'unavailable' })
    expect(asked.at(-1)?.url).not.toBe('/elsewhere')
    reply = response => response.destroy()
    expect(await ask()).toEqual({ outcome: 'unavailable' })
  })
})
