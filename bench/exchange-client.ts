import { Agent, request as openRequest } from 'node:http'

/** One of the models that the stand-in upstream lists. */
export const BENCH_MODEL = 'standin/small'

export interface Target {
  port: number
  creditId: string
}

export interface Received {
  /** From sending the request to the first chunk of the answer. */
  firstChunkMs: number
  /** For each chunk, from leaving the upstream to arriving here. */
  delaysMs: number[]
}

/** Less than the five seconds after which a usual server closes an idle connection. */
const agent = new Agent({ keepAlive: true, timeout: 4_000 })
const CONTENT_PATTERN = /"content":"(\d+)"/g
const NANOSECONDS_PER_MILLISECOND = 1e6

/** Requests a stream and reads it to its end, or until the signal aborts it. */
export function readStream(
  { port, creditId }: Target,
  input: {
    chunkCount: number
    intervalMs: number
    paddingBytes?: number
    /** Stops reading at the first chunk, but keeps the connection. */
    stalls?: boolean
    signal?: AbortSignal
    onFirst?: () => void
    onChunk?: () => void
  },
): Promise<Received> {
  const { chunkCount: count, intervalMs, paddingBytes } = input
  const body = JSON.stringify({
    model: BENCH_MODEL,
    // The stand-in upstream takes this for an instruction.
    messages: [{ role: 'user', content: `timed ${JSON.stringify({ count, intervalMs, paddingBytes })}` }],
    stream: true,
    max_tokens: 16_000,
  })
  return new Promise((resolve, reject) => {
    const delaysMs: number[] = []
    let firstChunkMs = Number.NaN
    const startedAt = process.hrtime.bigint()
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      authorization: `Bearer ${creditId}`,
    }
    const request = openRequest({
      port,
      host: '127.0.0.1',
      path: '/v1/chat/completions',
      method: 'POST',
      agent,
      headers,
    })
    input.signal?.addEventListener('abort', () => request.destroy())
    request.on('error', error =>
      input.signal?.aborted ? resolve({ firstChunkMs, delaysMs }) : reject(error),
    )
    request.on('response', response => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`))
      response.on('error', () => resolve({ firstChunkMs, delaysMs }))
      response.on('data', (bytes: Buffer) => {
        const arrivedAt = process.hrtime.bigint()
        for (const [, sentAt] of bytes.toString('latin1').matchAll(CONTENT_PATTERN)) {
          if (delaysMs.length === 0) {
            firstChunkMs = Number(arrivedAt - startedAt) / NANOSECONDS_PER_MILLISECOND
            input.onFirst?.()
            if (input.stalls) response.pause()
          }
          input.onChunk?.()
          delaysMs.push(Number(arrivedAt - BigInt(sentAt ?? 0)) / NANOSECONDS_PER_MILLISECOND)
        }
      })
      response.on('end', () => resolve({ firstChunkMs, delaysMs }))
    })
    request.end(body)
  })
}

export function percentile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN
}
