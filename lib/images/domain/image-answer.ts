import { isObject } from '@/lib/http/domain/is-object'
import { type Nano, nanoToUsdNumber } from '@/lib/money/nano'
import type { ImageCharge } from './decide-image-charge'
import type { DrawnImages } from './drawn-images'

/** OpenAI's answer, with what was charged beside what its upstream counted. */
export function imageAnswer(input: {
  drawn: DrawnImages
  charge: ImageCharge
  createdAtSeconds: number
  chargedNano: Nano
  /** Null while the ledger does not tell. */
  balanceNano: Nano | null
}): Record<string, unknown> {
  const { drawn, charge, balanceNano } = input
  const { inputTokenCount, outputTokenCount } = charge.tokens
  return {
    created: drawn.createdAtSeconds ?? input.createdAtSeconds,
    data: drawn.images,
    usage: {
      ...(isObject(drawn.usage) ? drawn.usage : {}),
      input_tokens: inputTokenCount,
      output_tokens: outputTokenCount,
      total_tokens: inputTokenCount + outputTokenCount,
      image_count: drawn.images.length,
      cost: nanoToUsdNumber(input.chargedNano),
      ...(balanceNano === null ? {} : { balance_usd: nanoToUsdNumber(balanceNano) }),
      ...(charge.estimated ? { estimated: true } : {}),
    },
  }
}
