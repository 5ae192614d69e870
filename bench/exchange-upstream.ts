import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { z } from 'zod'

/**
 * An upstream that does nothing but send chunks on time, each with the moment it left (nanoseconds of
 * the machine's monotonic clock, which all processes share). The request says how many and how often.
 */
const wanted = z.object({ chunk_count: z.number(), interval_ms: z.number() })

const server = createServer((request, response) => {
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  request.on('end', () => {
    const { chunk_count: chunkCount, interval_ms: intervalMs } = wanted.parse(
      JSON.parse(Buffer.concat(pieces).toString('utf8')),
    )
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    let sentCount = 0
    const send = () => {
      if (response.destroyed) return
      if (sentCount < chunkCount) {
        response.write(chunk(`{"content":"${process.hrtime.bigint()}"}`, sentCount + 1 === chunkCount))
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

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))

// Not left behind when the driver ends.
process.on('disconnect', () => process.exit())
