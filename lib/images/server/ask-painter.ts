import 'server-only'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { isObject } from '@/lib/http/domain/is-object'
import { parseJsonObject } from '@/lib/http/upstream/json-object'
import { inBandStatus, readRefusal, refusalOf } from '@/lib/http/upstream/read-refusal'
import { readUpstreamBody } from '@/lib/http/upstream/read-upstream-body'
import { sendUpstream } from '@/lib/http/upstream/send-upstream'
import { UpstreamFailure } from '@/lib/http/upstream/upstream-failure'
import { type DrawnImages, readDrawnImages } from '../domain/drawn-images'
import { ANSWER_BYTES_MAX, type ImageTimes } from '../domain/image-limits'
import type { ImageRequest } from '../domain/image-request'
import { imagePath, imageUpstreamBody } from '../domain/image-upstream-body'

/**
 * Has one upstream draw. An answer without a picture is none, and another upstream may do better.
 * @throws UpstreamFailure, or the signal's reason when it was aborted
 */
export async function askPainter(input: {
  upstream: UpstreamSettings
  request: ImageRequest
  imageCount: number
  times: ImageTimes
  signal: AbortSignal
}): Promise<DrawnImages> {
  const { upstream, request, imageCount, times, signal } = input
  const { baseUrl } = upstream
  const response = await sendUpstream({
    upstream,
    path: imagePath(baseUrl),
    body: Buffer.from(JSON.stringify(imageUpstreamBody(request, { imageCount, baseUrl }))),
    connectTimeoutMs: times.connectTimeoutMs,
    firstByteTimeoutMs: times.firstByteTimeoutMs,
    signal,
  })
  if (response.statusCode !== 200) throw await readRefusal(response, upstream, signal)
  const bytes = await readUpstreamBody(response, {
    bytesMax: ANSWER_BYTES_MAX,
    timeoutMs: times.bodyTimeoutMs,
    signal,
  })
  const body = parseJsonObject(bytes.toString('utf8'))
  if (isObject(body?.error)) throw refusalOf(inBandStatus(body.error), body.error, upstream)
  const drawn = body && readDrawnImages(body, imageCount)
  if (drawn && drawn.images.length > 0) return drawn
  throw new UpstreamFailure('refused', 'The upstream answered with something else than pictures.')
}
