import { expect, test } from '@jest/globals'
import { responsesAnswerForm } from '@/lib/exchange/kinds/dialects/responses/answer'
import { readResponsesRequest } from '@/lib/exchange/kinds/dialects/responses/contract'
import { ApiError } from '@/lib/http/api-error'
import { responsesAnswerSchema, stoppedToBody } from './paid-calls'

const head = { id: 'call-1', object: 'exchange.stopped' }

test('a stopped call tells what was charged and what is left', () => {
  const stopped = { exchangeId: 'call-1', isStopped: true, chargedNano: 1_500_000n, balanceNano: 0n }
  expect(stoppedToBody(stopped)).toEqual({ ...head, stopped: true, cost: 0.0015, balance_usd: 0 })
})

test('a call that is still written to its end tells no cost', () => {
  const going = { exchangeId: 'call-1', isStopped: false, chargedNano: null, balanceNano: null }
  expect(stoppedToBody(going)).toEqual({ ...head, stopped: false })
})

test('a response that has failed has the form that is described', () => {
  const { request } = readResponsesRequest({ model: 'vendor/small', input: 'Hi' })
  const failed = responsesAnswerForm(request).failed?.(new ApiError('upstream_error', 'Down.'))
  expect(responsesAnswerSchema.parse(failed)).toMatchObject({ status: 'failed', error: { message: 'Down.' } })
})
