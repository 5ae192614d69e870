import 'server-only'
import type { Catalogue, Model, ModelKind } from '@/lib/catalogue/domain/model'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { ApiError } from '@/lib/http/api-error'
import type { Metering } from '@/lib/ledger/server/metering/metering'
import type { SpeechLimits } from '../domain/speech-limits'

/** What the verbs of speech work with; made once by `createSpeech`. */
export interface SpeechContext {
  metering: Metering
  catalogue: Catalogue
  /** OpenAI-compatible ones, in the operator's order. */
  upstreams: () => Promise<readonly UpstreamSettings[]>
  /** Null when it is not configured. */
  elevenLabs: UpstreamSettings | null
  limits: SpeechLimits
}

/** @throws ApiError model_not_found */
export async function findModel(
  { catalogue }: SpeechContext,
  modelId: string,
  kind: ModelKind,
): Promise<Model> {
  const model = await catalogue.findModel(modelId)
  if (model?.kind === kind) return model
  const message = `There is no ${kind} model "${modelId}" here. GET /v1/models?type=audio lists them.`
  throw new ApiError('model_not_found', message, { param: 'model' })
}

/** Those that have the model, ElevenLabs last. @throws ApiError upstream_error when all of them are gone */
export async function upstreamsOf(context: SpeechContext, model: Model): Promise<UpstreamSettings[]> {
  const all = [...(await context.upstreams()), ...(context.elevenLabs ? [context.elevenLabs] : [])]
  const upstreams = all.filter(upstream => model.upstreamIds.includes(upstream.id))
  if (upstreams.length > 0) return upstreams
  throw new ApiError('upstream_error', 'No upstream has this model at the moment.')
}
