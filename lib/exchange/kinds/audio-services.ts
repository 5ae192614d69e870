import 'server-only'
import type { Catalogue, Model, ModelKind } from '@/lib/catalogue/domain/model'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { upstreamsWith } from '@/lib/upstream/ask-upstreams'
import type { AnswerTimes } from '../domain/exchange-limits'
import { findModel } from './find-model'

/** The dependencies of speech and transcription. */
export interface AudioServices {
  catalogue: Catalogue
  /** OpenAI-compatible ones, in the operator's order. */
  upstreams: readonly UpstreamSettings[]
  /** Null when it is not configured. */
  elevenLabs: UpstreamSettings | null
  times?: Partial<AnswerTimes>
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
