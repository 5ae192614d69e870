import { measurePrompt } from '@/lib/catalogue/domain/measure-prompt'
import type { Model } from '@/lib/catalogue/domain/model'
import { promptTokenCountMax, tokensPerImageMax } from '@/lib/catalogue/domain/prompt-tokens'
import { upperBound } from '@/lib/catalogue/domain/upper-bound'
import { costsNothing } from '@/lib/catalogue/domain/usable-prices'
import { isZero } from '@/lib/money/decimal'
import type { Nano } from '@/lib/money/nano'
import type { ImageRequest } from './contract'

/** The bound of an image request, and the minimum for one picture. */
export interface ImagePlan {
  model: Model
  promptTokenCountMax: number
  /** Pictures that were sent. */
  referenceCount: number
  asked: ImageTerms
  boundNano: Nano
  minimumNano: Nano
  isFree: boolean
}

/** The limits that a request is sent with, so that it cannot cost more than its hold. */
export interface ImageTerms {
  imageCount: number
  /** Null to let the model choose. */
  size: string | null
  quality: string | null
}

/**
 * More than any model counts for one picture of the usual sizes in any quality: OpenAI's dearest has 6,240 tokens,
 * OpenRouter counts 4,175 for models priced per picture, and a 4K picture has 16,384.
 */
const TOKENS_PER_DRAWN_IMAGE_MAX = 16_384
/** Twice what OpenRouter counts per megapixel. */
const TOKENS_OF_USUAL_SIZE_MAX = 8_192
/** The same where the request names the quality: OpenAI's tables of 2026 for its largest usual size, rounded up. */
const TOKENS_BY_QUALITY: Readonly<Record<string, number>> = {
  low: 512,
  medium: 2_048,
  standard: TOKENS_OF_USUAL_SIZE_MAX,
  high: TOKENS_OF_USUAL_SIZE_MAX,
  hd: TOKENS_PER_DRAWN_IMAGE_MAX,
}
/** Only these obey the quality. Others ignore it, and bill as many tokens as ever. */
const DRAWS_BY_QUALITY = /gpt-image/i
/** The largest of the usual sizes, 1536x1024; larger ones count in proportion. */
const USUAL_PIXEL_COUNT = 1_536 * 1_024
/** A price per picture is for a square of this size in standard quality. */
const SQUARE_PIXEL_COUNT = 1_024 * 1_024
const PIXELS_BY_CLASS: Readonly<Record<string, number>> = {
  '1K': 1_024 * 1_024,
  '2K': 2_048 * 2_048,
  '4K': 4_096 * 4_096,
}
/** Factors of qualities that cost more per picture. */
const DEAR_QUALITIES: ReadonlySet<string> = new Set(['high', 'hd'])
const DEAR_QUALITY_FACTOR = 2

/** Qualities to choose from for a small balance if the request leaves it open, the dearest first. */
const LOWER_QUALITIES = ['medium', 'low'] as const
const LOWEST_SIZE = '1024x1024'

export function planImages(request: ImageRequest, model: Model): ImagePlan {
  const measure = measurePrompt(request)
  const shape = {
    model,
    promptTokenCountMax: promptTokenCountMax(measure, model.contextLengthMax, tokensPerImageMax(model.id)),
    referenceCount: measure.imageCount,
    asked: { imageCount: request.n ?? 1, size: chosen(request.size), quality: chosen(request.quality) },
    isFree: costsNothing(model.prices),
  }
  const steps = [...lowerTerms(shape)]
  return {
    ...shape,
    boundNano: boundOf(shape, shape.asked),
    minimumNano: boundOf(shape, steps.at(-1) ?? shape.asked),
  }
}

/** The most that is affordable of what was requested: fewer pictures, then a lower quality if that was left open. */
export function imageTermsFor(plan: ImagePlan, heldNano: Nano): ImageTerms {
  const steps = [...lowerTerms(plan)]
  return steps.find(terms => boundOf(plan, terms) <= heldNano) ?? steps.at(-1) ?? plan.asked
}

/** The units that one picture is held for, and charged by if the upstream reports neither cost nor tokens. */
export function unitsPerImage({ size, quality }: ImageTerms): number {
  const area = Math.max(1, Math.ceil(pixelsOf(size) / SQUARE_PIXEL_COUNT))
  return area * (quality !== null && DEAR_QUALITIES.has(quality) ? DEAR_QUALITY_FACTOR : 1)
}

/** The most tokens of a picture on these terms. */
export function tokensPerDrawingMax({ id }: Pick<Model, 'id'>, { size, quality }: ImageTerms): number {
  const ofSize = size === null ? TOKENS_PER_DRAWN_IMAGE_MAX : TOKENS_OF_USUAL_SIZE_MAX
  const ofQuality = (quality === null ? undefined : TOKENS_BY_QUALITY[quality]) ?? TOKENS_PER_DRAWN_IMAGE_MAX
  const usual = DRAWS_BY_QUALITY.test(id) ? ofQuality : ofSize
  return Math.ceil(usual * Math.max(1, pixelsOf(size) / USUAL_PIXEL_COUNT))
}

type Shape = Omit<ImagePlan, 'boundNano' | 'minimumNano'>

function* lowerTerms({ asked, model }: Shape): Generator<ImageTerms> {
  for (let imageCount = asked.imageCount; imageCount >= 1; imageCount -= 1) yield { ...asked, imageCount }
  // A picture that is priced per picture costs the same in any quality.
  const isByToken = !isZero(model.prices.completion)
  if (!isByToken || asked.quality !== null) return
  const size = asked.size ?? LOWEST_SIZE
  for (const quality of LOWER_QUALITIES) yield { imageCount: 1, size, quality }
}

function boundOf({ model, promptTokenCountMax: tokens, referenceCount }: Shape, terms: ImageTerms): Nano {
  return upperBound({
    prices: model.prices,
    promptTokenCountMax: tokens,
    imageCount: terms.imageCount * unitsPerImage(terms) + referenceCount,
    outputTokenCountMax: terms.imageCount * tokensPerDrawingMax(model, terms),
  })
}

function pixelsOf(size: string | null): number {
  if (size === null) return 0
  const [width = 0, height = 0] = size.split('x').map(Number)
  return PIXELS_BY_CLASS[size.toUpperCase()] ?? width * height
}

function chosen(option: string | null | undefined): string | null {
  return option == null || option === 'auto' ? null : option
}
