import 'server-only'
import type { IncomingMessage } from 'node:http'
import { isObject } from '@/lib/http/domain/is-object'
import { tryParseJson } from '@/lib/http/domain/try-parse-json'
import { isStillSilent } from '@/lib/http/is-still-silent'
import { UpstreamFailure } from './ask-upstreams'

/** Null for anything that is not a JSON object, since an upstream may send anything. */
export function parseJsonObject(text: string): Record<string, unknown> | null {
  const value = tryParseJson(text)
  return isObject(value) ? value : null
}

/**
 * Reads a whole answer of an upstream. The upstream has done its work by then, so it may bill whatever happens here.
 * @throws UpstreamFailure if the answer is too large, incomplete or too slow; or the signal's reason
 */
export function readUpstreamBody(
  response: IncomingMessage,
  input: { bytesMax: number; timeoutMs: number; signal: AbortSignal },
): Promise<Buffer> {
  const { bytesMax, timeoutMs, signal } = input
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let byteCount = 0
    let isOver = false
    const fail = (error: unknown) => {
      stopReading()
      response.destroy()
      reject(error)
    }
    const refuse = (kind: 'refused' | 'timeout', message: string) =>
      fail(new UpstreamFailure(kind, message, { mayBillAll: true }))
    const onAbort = () => fail(signal.reason)
    const timer = setTimeout(async () => {
      if (await isStillSilent(() => Number(isOver)))
        refuse('timeout', 'The upstream did not finish its answer in time.')
    }, timeoutMs)
    const stopReading = () => {
      isOver = true
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    response.on('data', (chunk: Buffer) => {
      byteCount += chunk.length
      if (byteCount > bytesMax) return fail(tooLarge(bytesMax))
      chunks.push(chunk)
    })
    response.on('end', () => {
      stopReading()
      resolve(Buffer.concat(chunks))
    })
    const breakOff = () =>
      refuse('refused', 'The upstream closed the connection before its answer was complete.')
    response.on('error', breakOff)
    response.on('close', () => {
      if (!response.complete) breakOff()
    })
    response.resume()
  })
}

const BYTES_PER_MB = 1024 * 1024

/**
 * The request asked for it, with thousands of probabilities for example: sent again, it would have the host work, and
 * bill, once more.
 */
function tooLarge(bytesMax: number): UpstreamFailure {
  const message = `The answer has more than ${bytesMax / BYTES_PER_MB} MB, more than is passed on. Ask for less at once.`
  return new UpstreamFailure('client_fault', message, { status: 422, mayBillAll: true })
}
