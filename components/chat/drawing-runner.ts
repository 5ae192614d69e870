import type { ExchangeRunner } from '@/lib/exchange/client/exchange-runner'
import { CONNECTION_LOST, type ExchangeResult } from '@/lib/exchange/client/run-exchange'
import { EMPTY_ANSWER } from '@/lib/exchange/client/stream-reducer'

/** Pictures are asked for by code that is fetched with the first of them. */
export const drawingRunner: ExchangeRunner = {
  async buildBody(conversation, answerId) {
    try {
      return (await import('./draw-answer')).bodyForDrawing(conversation, answerId)
    } catch {
      // Told by `run`, which cannot fetch it either.
      return ''
    }
  },
  run(input, observer, world) {
    let isStopped = false
    let stop = () => {
      isStopped = true
    }
    async function draw(): Promise<ExchangeResult> {
      if (input.body === '') return LOST
      const { drawAnswer } = await import('./draw-answer')
      const running = drawAnswer(input, observer, world)
      stop = running.stop
      if (isStopped) running.stop()
      return running.ended
    }
    return { stop: () => stop(), ended: draw() }
  },
}

const LOST: ExchangeResult = {
  status: 'failed',
  answer: EMPTY_ANSWER,
  error: { code: CONNECTION_LOST, message: '' },
}
