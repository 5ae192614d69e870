import { boundPrompt } from '@/lib/catalogue/domain/bound-prompt'
import type { Model, Prices } from '@/lib/catalogue/domain/model'
import { upperBound } from '@/lib/catalogue/domain/upper-bound'
import type { Nano } from '@/lib/money/nano'
import { OUTPUT_TOKENS_PER_IMAGE_MAX, OUTPUT_TOKENS_PER_IMAGE_USUAL } from './image-limits'
import type { ImageRequest } from './image-request'

/** What an image request can cost at most, and at least if one picture is to come of it. */
export interface ImagePlan {
  /** Held in full when the balance affords it. */
  boundNano: Nano
  /** One picture of the usual measures. */
  minimumNano: Nano
  /** Pictures that were asked for. */
  imageCount: number
  /** Pictures that were sent along to draw from. */
  referenceCount: number
  /** A count beyond these was never generated for this request. */
  believableTokenCountMax: { input: number; output: number }
}

export function planImages(request: ImageRequest, model: Model): ImagePlan {
  const imageCount = request.n ?? 1
  const prompt = boundPrompt(request, model.contextLength)
  const shape = { prices: model.prices, promptTokenCountMax: prompt.tokenCountMax }
  return {
    boundNano: boundOf({
      ...shape,
      imageCount,
      referenceCount: prompt.imageCount,
      tokensPerImage: OUTPUT_TOKENS_PER_IMAGE_MAX,
    }),
    minimumNano: boundOf({
      ...shape,
      imageCount: 1,
      referenceCount: prompt.imageCount,
      tokensPerImage: OUTPUT_TOKENS_PER_IMAGE_USUAL,
    }),
    imageCount,
    referenceCount: prompt.imageCount,
    believableTokenCountMax: {
      input: prompt.tokenCountMax,
      output: imageCount * OUTPUT_TOKENS_PER_IMAGE_MAX,
    },
  }
}

/**
 * How many pictures are asked of the upstream for what is held: with money for three of four, three are
 * drawn. At least one: the hold is never below its price.
 */
export function heldImageCount(plan: ImagePlan, prices: Prices, heldNano: Nano): number {
  if (heldNano >= plan.boundNano) return plan.imageCount
  const costOf = (imageCount: number) =>
    boundOf({
      prices,
      promptTokenCountMax: plan.believableTokenCountMax.input,
      imageCount,
      referenceCount: plan.referenceCount,
      tokensPerImage: OUTPUT_TOKENS_PER_IMAGE_USUAL,
    })
  let count = plan.imageCount
  while (count > 1 && costOf(count) > heldNano) count -= 1
  return count
}

function boundOf(input: {
  prices: Prices
  promptTokenCountMax: number
  imageCount: number
  referenceCount: number
  tokensPerImage: number
}): Nano {
  return upperBound({
    prices: input.prices,
    promptTokenCountMax: input.promptTokenCountMax,
    imageCount: input.imageCount + input.referenceCount,
    outputTokenCountMax: input.imageCount * input.tokensPerImage,
  })
}
