import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'
import './report-figures'

/**
 * An upstream that does nothing but send chunks on time, each with the moment it left (nanoseconds of
 * the machine's monotonic clock, which all processes share). The request says how many, how often, and
 * how much larger than a token's.
 */
const wanted = z.object({
  chunk_count: z.number(),
  interval_ms: z.number(),
  padding_bytes: z.number().default(0),
})

const MODELS = {
  data: [
    {
      id: 'bench',
      name: 'Bench',
      context_length: 128_000,
      architecture: { input_modalities: ['text'], output_modalities: ['text'] },
      pricing: { prompt: '0.000001', completion: '0.000002' },
    },
  ],
}

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(MODELS))
    return
  }
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  request.on('end', () => {
    const {
      chunk_count: chunkCount,
      interval_ms: intervalMs,
      padding_bytes: paddingBytes,
    } = wanted.parse(JSON.parse(Buffer.concat(pieces).toString('utf8')))
    const padding = paddingBytes > 0 ? `,"padding":"${'x'.repeat(paddingBytes)}"` : ''
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    let sentCount = 0
    const send = () => {
      if (response.destroyed) return
      if (sentCount < chunkCount) {
        const delta = `{"content":"${process.hrtime.bigint()}"${padding}}`
        // A reader that takes nothing is no reason to hoard here what it does not take.
        if (!response.writableNeedDrain) response.write(chunk(delta, sentCount + 1 === chunkCount))
        sentCount += 1
        if (intervalMs > 0) setTimeout(send, intervalMs)
        else setImmediate(send)
        return
      }
      response.write(
        `data: {"id":"gen-1","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":${chunkCount}}}\n\n`,
      )
      response.end('data: [DONE]\n\n')
    }
    send()
  })
})

function chunk(delta: string, last: boolean): string {
  return `data: {"id":"gen-1","object":"chat.completion.chunk","created":1760000000,"model":"bench","system_fingerprint":"fp_bench","choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${last ? '"stop"' : 'null'}}],"usage":null}\n\n`
}

// Longer than anything measured: a client must not meet a connection that is just being closed.
server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
