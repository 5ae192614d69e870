import { describe, expect, jest, test } from '@jest/globals'
import { balanceErrorText } from './balance-error'
import { fetchCredit, parseCreditRecord } from './fetch-credit'

const CREDIT_ID = '0b0e7c9e-5d3c-4a53-9d5c-2f1d5f3f6a01'

function answering(response: Response) {
  const fetch = jest.fn(async (_url: string, _init: RequestInit) => response)
  const log = jest.fn()
  return { fetch, log }
}

describe('the credit call', () => {
  test('a 404 logs the status text and returns an error value', async () => {
    const dependencies = answering(
      Response.json({ error: 'Not Found' }, { status: 404, statusText: 'Not Found' }),
    )
    await expect(fetchCredit(CREDIT_ID, dependencies)).resolves.toEqual({
      error: 'Not Found',
      isUnknown: true,
    })
    expect(dependencies.log.mock.calls).toEqual([['Not Found']])
  })

  test('a 404 over HTTP/2, which has no status text, logs the error of its body', async () => {
    const dependencies = answering(Response.json({ error: 'Not Found' }, { status: 404 }))
    await expect(fetchCredit(CREDIT_ID, dependencies)).resolves.toEqual({
      error: 'Not Found',
      isUnknown: true,
    })
    expect(dependencies.log.mock.calls).toEqual([['Not Found']])
  })

  test.each(['<html>', '[]', '{"error":7}', ''])(
    'a 404 without a usable body logs its status code: %s',
    async body => {
      const dependencies = answering(new Response(body, { status: 404 }))
      await expect(fetchCredit(CREDIT_ID, dependencies)).resolves.toEqual({
        error: 'HTTP 404',
        isUnknown: false,
      })
      expect(dependencies.log.mock.calls).toEqual([['HTTP 404']])
    },
  )

  test('an answer that is not JSON throws', async () => {
    const dependencies = answering(new Response('<html>'))
    await expect(fetchCredit(CREDIT_ID, dependencies)).rejects.toThrow('is not valid JSON')
  })

  test('a server error returns an error value', async () => {
    const dependencies = answering(new Response('', { status: 503, statusText: 'Service Unavailable' }))
    await expect(fetchCredit(CREDIT_ID, dependencies)).resolves.toEqual({ error: 'Service Unavailable' })
    expect(dependencies.log).not.toHaveBeenCalled()
  })

  test("asks the specification's address and returns the record", async () => {
    const dependencies = answering(Response.json({ credit_id: CREDIT_ID, amount_usd: 0.99 }))
    await expect(fetchCredit(CREDIT_ID, dependencies)).resolves.toEqual({
      record: { creditId: CREDIT_ID, amountUsd: 0.99 },
    })
    expect(dependencies.fetch.mock.calls[0]?.[0]).toBe(`/api/payments/account/${CREDIT_ID}/credit`)
  })
})

describe('a credit record', () => {
  test.each([
    null,
    'text',
    [],
    {},
    { credit_id: 7 },
    { credit_id: CREDIT_ID, amount_usd: -1 },
    { credit_id: CREDIT_ID, amount_usd: '5' },
  ])('is not %j', body => {
    expect(parseCreditRecord(body)).toBeNull()
  })

  test.each([{ credit_id: CREDIT_ID }, { credit_id: CREDIT_ID, amount_usd: null }])(
    'counts as 0 without an amount: %j',
    body => {
      expect(parseCreditRecord(body)).toEqual({ creditId: CREDIT_ID, amountUsd: 0 })
    },
  )
})

describe('the error text', () => {
  test('is the message of an Error', () => {
    expect(balanceErrorText(new TypeError('Failed to fetch'))).toBe('Failed to fetch')
  })

  test.each(['text', undefined, { message: 'x' }])('is a general sentence for %j', thrown => {
    expect(balanceErrorText(thrown)).toBe('Failed to fetch balance')
  })
})
