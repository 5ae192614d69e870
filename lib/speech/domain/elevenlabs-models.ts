import type { UpstreamList } from '@/lib/catalogue/domain/merge-models'
import { type UpstreamModel, unlistedModel } from '@/lib/catalogue/domain/upstream-model'

/** Also the id of the upstream. */
export const ELEVENLABS = 'elevenlabs'
const ELEVENLABS_PREFIX = `${ELEVENLABS}/`

/**
 * ElevenLabs' public models with its public prices of 2026 (https://elevenlabs.io/pricing/api): $0.10 and $0.05 per
 * 1,000 characters, $0.22 an hour for Scribe. Its API does not list prices. If an operator pays others,
 * MODEL_PRICES_FILE overrides them under the same id, or adds models.
 */
const ELEVENLABS_MODELS: readonly UpstreamModel[] = [
  voice('eleven_v3', 'ElevenLabs v3', 'The most expressive voices, in over 70 languages.', '0.0001'),
  voice('eleven_multilingual_v2', 'ElevenLabs Multilingual v2', 'Lifelike voices in 29 languages.', '0.0001'),
  voice('eleven_flash_v2_5', 'ElevenLabs Flash v2.5', 'The quickest voices, in 32 languages.', '0.00005'),
  voice('eleven_turbo_v2_5', 'ElevenLabs Turbo v2.5', 'Quick voices in 32 languages.', '0.00005'),
  {
    ...model('scribe_v2', 'ElevenLabs Scribe v2', 'Writes down recordings in over 90 languages.'),
    inputModalities: ['audio'],
    outputModalities: ['text'],
    // 0.22 / 3600, rounded up.
    pricing: { input_second: '0.00006112' },
  },
]

/** In the catalogue's form: ids with its prefix belong to ElevenLabs, including new ones that an operator prices. */
export const ELEVENLABS_LIST: UpstreamList = {
  upstreamId: ELEVENLABS,
  models: ELEVENLABS_MODELS,
  free: false,
  ownPrefix: ELEVENLABS_PREFIX,
}

function voice(id: string, name: string, description: string, usdPerCharacter: string): UpstreamModel {
  return {
    ...model(id, name, description),
    inputModalities: ['text'],
    outputModalities: ['audio'],
    pricing: { input_character: usdPerCharacter },
  }
}

function model(id: string, name: string, description: string): UpstreamModel {
  return { ...unlistedModel(`${ELEVENLABS_PREFIX}${id}`), name, description }
}

/** The name that ElevenLabs itself has for a model. */
export function elevenLabsModelId(modelId: string): string {
  return modelId.startsWith(ELEVENLABS_PREFIX) ? modelId.slice(ELEVENLABS_PREFIX.length) : modelId
}
