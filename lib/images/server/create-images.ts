import 'server-only'
import { createHash } from 'node:crypto'
import { ApiError } from '@/lib/http/api-error'
import { ExchangeStopped } from '@/lib/ledger/server/metering/exchange-stopped'
import type { MeteredReply } from '@/lib/ledger/server/metering/metered-reply'
import { within } from '@/lib/ledger/server/metering/within'
import { IMAGE_TIMES, type ImageTimes } from '../domain/image-limits'
import { draw } from './draw'
import type { GenerateInput, StopGenerationInput } from './generate-input'
import type { ImageContext } from './image-context'

/** The verbs of pictures. Both throw ApiError. */
export interface Images {
  generate(input: GenerateInput): Promise<MeteredReply>
  stop(input: StopGenerationInput): Promise<StopGenerationResult>
}

export interface StopGenerationResult {
  object: 'image.generation.stopped'
  /** False: the pictures were finished first, and are paid for; the request itself answers with them. */
  stopped: boolean
}

interface RunningDrawing {
  requestHash: string
  stop: AbortController
  reply: Promise<MeteredReply>
}

/**
 * One per process: it knows the drawings that run here by the idempotency keys of their requests. A client
 * that has such a key may leave and ask again; the drawing goes on, and is stopped on its word alone. One
 * without a key could never fetch the picture, so its leaving is a stop.
 */
export function createImages(
  input: Omit<ImageContext, 'times' | 'nowSeconds'> & { times?: Partial<ImageTimes> },
): Images {
  const context: ImageContext = {
    ...input,
    times: { ...IMAGE_TIMES, ...input.times },
    nowSeconds: () => Math.floor(Date.now() / 1000),
  }
  const running = new Map<string, RunningDrawing>()

  function begin(name: string, requestHash: string, request: GenerateInput): RunningDrawing {
    const stop = new AbortController()
    const drawing = { requestHash, stop, reply: draw(context, { ...request, signal: stop.signal }) }
    running.set(name, drawing)
    const forget = () => {
      if (running.get(name) === drawing) running.delete(name)
    }
    drawing.reply.then(forget, forget)
    return drawing
  }

  return {
    async generate(request) {
      if (request.idempotencyKey === null) return draw(context, request)
      const name = nameOf({ ...request, idempotencyKey: request.idempotencyKey })
      const requestHash = createHash('sha256').update(request.body).digest('hex')
      const known = running.get(name)
      // Another request under the same key is the ledger's to refuse.
      if (known && known.requestHash !== requestHash) return draw(context, request)
      return (known ?? begin(name, requestHash, request)).reply
    },

    async stop(request) {
      const drawing = running.get(nameOf(request))
      if (!drawing) throw new ApiError('not_found', 'No such picture is being drawn.')
      drawing.stop.abort(new ExchangeStopped('stopped'))
      const end = await within(
        context.times.stopWaitMs,
        drawing.reply.then(
          () => 'drawn' as const,
          () => 'stopped' as const,
        ),
      )
      if (end !== null) return { object: 'image.generation.stopped', stopped: end === 'stopped' }
      throw new ApiError('conflict', 'The picture is being paid for. Ask again in a moment.', {
        headers: { 'retry-after': '1' },
      })
    },
  }
}

function nameOf({ credential, idempotencyKey }: StopGenerationInput): string {
  return `${credential.secretHash} ${idempotencyKey}`
}
