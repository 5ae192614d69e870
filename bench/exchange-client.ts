import { Agent, request as openRequest } from 'node:http'

export interface Target {
  port: number
  creditId: string
}

export interface Received {
  /** From sending the request to the first chunk of the answer. */
  firstChunkMs: number
  /** From each chunk's leaving the upstream to its arrival here. */
  delaysMs: number[]
}

const agent = new Agent({ keepAlive: true })
const CONTENT_PATTERN = /"content":"(\d+)"/g
const NANOSECONDS_PER_MILLISECOND = 1e6

/** Asks for a stream and reads it to its end, or until the signal ends it. */
export function readStream(
  { port, creditId }: Target,
  input: {
    chunkCount: number
    intervalMs: number
    paddingBytes?: number
    /** Stops reading at the first chunk, and stays. */
    stalls?: boolean
    signal?: AbortSignal
    onFirst?: () => void
    onChunk?: () => void
  },
): Promise<Received> {
  const body = JSON.stringify({
    model: 'bench',
    messages: [{ role: 'user', content: 'How long does this take?' }],
    stream: true,
    max_tokens: 16_000,
    chunk_count: input.chunkCount,
    interval_ms: input.intervalMs,
    padding_bytes: input.paddingBytes,
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
