import { isOpenRouter } from '@/lib/catalogue/domain/is-open-router'
import type { ImageRequest } from './image-request'

/** Below the upstream's base URL. OpenRouter draws under a shorter address than OpenAI. */
export function imagePath(baseUrl: string): string {
  return isOpenRouter(baseUrl) ? '/images' : '/images/generations'
}

/** These always answer with bytes, and refuse to be told so. */
const ANSWERS_BYTES = /gpt-image/i

/**
 * The client's own request, for as many pictures as are held for. Hosts that know no `response_format`
 * refuse it, so it goes only where it has a meaning.
 */
export function imageUpstreamBody(
  request: ImageRequest,
  input: { imageCount: number; baseUrl: string },
): Record<string, unknown> {
  const { stream, response_format: responseFormat, n, ...rest } = request
  const takesFormat = !isOpenRouter(input.baseUrl) && !ANSWERS_BYTES.test(request.model)
  return {
    ...rest,
    // Models that draw one picture a time refuse the field itself.
    ...(n == null ? {} : { n: input.imageCount }),
    ...(responseFormat != null && takesFormat ? { response_format: responseFormat } : {}),
  }
}
