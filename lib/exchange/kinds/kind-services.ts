import 'server-only'
import type { Catalogue, Model, ModelKind } from '@/lib/catalogue/domain/model'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { ApiError } from '@/lib/http/api-error'
import type { Decimal } from '@/lib/money/decimal'
import { upstreamsWith } from '@/lib/upstream/ask-upstreams'
import type { AnswerTimes } from '../domain/exchange-limits'
import type { Voice } from './speech/voice'

/** The dependencies of every kind. */
export interface KindServices {
  catalogue: Catalogue
  /** OpenAI-compatible ones, in the operator's order. */
  upstreams: readonly UpstreamSettings[]
  priceMarkup: Decimal
  times?: Partial<AnswerTimes>
}

/** The dependencies of speech and transcription. */
export interface AudioServices extends KindServices {
  /** Null when it is not configured. */
  elevenLabs: UpstreamSettings | null
  /** Voices that cost no more than their models' prices. */
  listVoices: () => Promise<readonly Voice[]>
}

/**
 * The model that a request names, if it is of the kind that its route serves.
 * @throws ApiError model_not_found, upstream_error
 */
export async function findModel(
  catalogue: Catalogue,
  kind: ModelKind,
  modelId: string,
  param = 'model',
): Promise<Model> {
  const model = await catalogue.findModel(modelId)
  if (model?.kind === kind) return model
  if (!model) await refuseIncomplete(catalogue)
  const message = `There is no ${kind} model "${modelId}" here. GET /v1/models?type=${kind} lists the models.`
  throw new ApiError('model_not_found', message, { param })
}

/** Clients take "not found" for the last word, and a model may be in a list that is still to come. */
export async function refuseIncomplete(catalogue: Catalogue): Promise<void> {
  const seconds = await catalogue.secondsToMissingList()
  if (seconds === null) return
  const message = 'This model may be in a list that could not be fetched yet. Try again shortly.'
  throw new ApiError('upstream_error', message, {
    param: 'model',
    headers: { 'retry-after': String(seconds) },
  })
}

/** The model and the upstreams that have it, ElevenLabs last. @throws ApiError model_not_found, upstream_error */
export async function findAudioModel(
  { catalogue, upstreams, elevenLabs }: AudioServices,
  modelId: string,
  kind: ModelKind,
): Promise<{ model: Model; upstreams: UpstreamSettings[] }> {
  const model = await findModel(catalogue, kind, modelId)
  return { model, upstreams: upstreamsWith(model, elevenLabs ? [...upstreams, elevenLabs] : upstreams) }
}
