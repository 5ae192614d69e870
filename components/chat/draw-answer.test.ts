import { describe, expect, test } from '@jest/globals'
import { CONNECTION_LOST, REST_LOST } from '@/lib/exchange/client/run-exchange'
import type { Conversation } from '@/lib/local/domain/conversation'
import { bodyForDrawing, drawAnswer } from './draw-answer'
import { drawingRunner } from './drawing-runner'

const CONVERSATION: Conversation = {
  id: 'c',
  created_at: '2026-11-20T00:00:00.000Z',
  messages: [
    { role: 'user', id: 'q1', content: 'Something earlier' },
    { role: 'assistant', id: 'a1', content: 'Indeed' },
    {
      role: 'user',
      id: 'q2',
      content: [
        { type: 'text', text: 'A copper coin' },
        { type: 'image_url', image_url: { url: 'image-store:1', created_at: '' } },
      ],
    },
    { role: 'assistant', id: 'a2', content: '', model: 'painter', status: 'streaming' },
  ],
}

function answerTo(response: () => Response | Promise<Response>) {
  const world = {
    fetch: async () => response(),
    wait: async () => {},
    onWake: () => () => {},
    now: () => 0,
  }
  const observer = { onExchangeId: () => {}, onAnswer: () => {}, onPhase: () => {} }
  const keys = { creditId: 'credit', idempotencyKey: 'key', resumeKey: 'resume' }
  const body = bodyForDrawing(CONVERSATION, 'a2')
  return drawAnswer({ keys, body, exchangeId: null }, observer, world).ended
}

const refusal = (code: string, status: number) => () => Response.json({ error: { code } }, { status })

describe('a picture as an answer', () => {
  test('is asked for with the words of its question alone, the same each time', async () => {
    const body = bodyForDrawing(CONVERSATION, 'a2')
    expect(JSON.parse(body)).toEqual({
      model: 'painter',
      prompt: 'A copper coin',
      n: 1,
      response_format: 'b64_json',
    })
    expect(await drawingRunner.buildBody(CONVERSATION, 'a2')).toBe(body)
  })

  test('that the balance does not reach says what is needed', async () => {
    const error = { code: 'insufficient_credit', required_usd: 0.04, available_usd: 0.01 }
    const result = await answerTo(() => Response.json({ error }, { status: 402 }))
    expect(result).toMatchObject({ status: 'failed', error: { requiredUsd: '0.04', availableUsd: '0.01' } })
  })

  test('that was refused has failed with the server’s reason', async () => {
    const result = await answerTo(refusal('upstream_error', 502))
    expect(result).toMatchObject({ status: 'failed', error: { code: 'upstream_error' } })
  })

  test('that is no longer kept is lost, not free', async () => {
    const result = await answerTo(refusal('conflict', 409))
    expect(result).toMatchObject({ status: 'failed', error: { code: REST_LOST } })
  })

  test('whose server stays away has lost its connection', async () => {
    const result = await answerTo(() => Promise.reject(new TypeError('Failed to fetch')))
    expect(result).toMatchObject({ status: 'failed', error: { code: CONNECTION_LOST } })
  })

  test('has its bytes, its price and the balance', async () => {
    const usage = { cost: 0.04, balance_usd: 0.96, input_tokens: 8, output_tokens: 0 }
    const result = await answerTo(() => Response.json({ data: [{ b64_json: '/9j/AAAA' }], usage }))
    expect(result).toMatchObject({
      status: 'completed',
      error: null,
      answer: {
        text: '',
        imageUrls: ['data:image/jpeg;base64,/9j/AAAA'],
        balanceUsd: '0.96',
        receipt: { cost_usd: '0.04', image_count: 1, estimated: false },
      },
    })
  })
})
