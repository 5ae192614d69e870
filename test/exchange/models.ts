import { STAND_IN_MODELS, standInModel } from '@/test/stand-ins/upstream-models'

const LONG = { contextLength: 200_000, outputTokenCountMax: 32_000 }

/** Besides the usual models, one for each way in which a call can cost more than it seems to. */
export const BILLED_MODELS = [
  ...STAND_IN_MODELS,
  standInModel({ id: 'standin/dear', prompt: '0.00015', completion: '0.0006', ...LONG }),
  standInModel({
    id: 'standin/watcher',
    prompt: '0.000002',
    completion: '0.00001',
    input: ['text', 'image', 'video'],
    ...LONG,
  }),
  standInModel({ id: 'standin/thinker', prompt: '0.000002', completion: '0.00001', reasons: true, ...LONG }),
  standInModel({
    id: 'standin/searcher',
    prompt: '0.000001',
    completion: '0.000002',
    pricing: { web_search: '0.01' },
  }),
  /** Its own host searches for less than any engine does. */
  standInModel({
    id: 'standin/cheap-searcher',
    prompt: '0.00000001',
    completion: '0.00000002',
    pricing: { web_search: '0.0025' },
  }),
  /** Searches for every answer. */
  standInModel({
    id: 'standin/sonar',
    prompt: '0.000001',
    completion: '0.000001',
    pricing: { web_search: '0.01' },
  }),
  standInModel({
    id: 'standin/unsearched',
    prompt: '0.000001',
    completion: '0.000002',
    pricing: { web_search: '0' },
  }),
  standInModel({
    id: 'standin/cacher',
    prompt: '0.000003',
    completion: '0.000015',
    pricing: { input_cache_read: '0.0000003', input_cache_write: '0.00000375' },
    ...LONG,
  }),
  standInModel({
    id: 'standin/keeper',
    prompt: '0.000003',
    completion: '0.000015',
    pricing: { input_cache_write: '0.00000375', input_cache_write_1h: '0.000006' },
    ...LONG,
  }),
  standInModel({
    id: 'standin/banded',
    prompt: '0.000001',
    completion: '0.000005',
    pricing: { overrides: [{ min_prompt_tokens: 1_000, prompt: '0.000004', completion: '0.00002' }] },
  }),
  standInModel({
    id: 'standin/flexible',
    prompt: '0.000002',
    completion: '0.000008',
    pricing: { overrides: [{ service_tier: 'flex', prompt: '0.000001', completion: '0.000004' }] },
  }),
  standInModel({
    id: 'standin/speaker',
    prompt: '0.000002',
    completion: '0.00002',
    input: ['text', 'audio'],
    output: ['text', 'audio'],
  }),
  /** Writes only words; anything else that its host counts costs ten times as much. */
  standInModel({
    id: 'standin/writer',
    prompt: '0.000001',
    completion: '0.000002',
    input: ['text', 'audio', 'image', 'file'],
    pricing: {
      audio: '0.00001',
      image_token: '0.00001',
      audio_output: '0.00002',
      image_output: '0.00002',
    },
    ...LONG,
  }),
  /** Free by every known price; nobody knows what the other one means. */
  standInModel({
    id: 'standin/odd',
    prompt: '0',
    completion: '0',
    pricing: { thought: '0.00003' },
  }),
  /** Looks for films and pictures in its texts. */
  standInModel({
    id: 'standin/multimodalembedding',
    prompt: '0.0000002',
    completion: '0',
    output: ['embeddings'],
  }),
  /** Bills ten seconds at least. */
  standInModel({
    id: 'standin/patient-whisper',
    prompt: '0',
    completion: '0',
    input: ['audio'],
    pricing: { input_second: '0.0001', recording_min: '0.001' },
  }),
  /** By the token, as OpenAI prices its `gpt-4o-transcribe`. */
  standInModel({
    id: 'standin/transcribe',
    prompt: '0.000003',
    completion: '0.00001',
    input: ['audio'],
    pricing: { audio: '0.000006' },
  }),
  /** Draws pictures among its words. */
  standInModel({
    id: 'standin/illustrator',
    prompt: '0.000001',
    completion: '0.00003',
    output: ['text', 'image'],
    pricing: { image_output: '0.00003' },
    ...LONG,
  }),
  /** Pictures by the token, as OpenAI prices them. */
  standInModel({
    id: 'standin/gpt-image',
    prompt: '0.000005',
    completion: '0',
    output: ['image'],
    pricing: { image_output: '0.00004' },
  }),
]
