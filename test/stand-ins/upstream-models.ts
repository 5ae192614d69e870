/** Models of the stand-in, in the format of OpenRouter's `/models`. Round prices make sums easy to check. */
export const STAND_IN_MODELS: readonly Record<string, unknown>[] = [
  standInModel({ id: 'standin/small', name: 'Stand-in Small', prompt: '0.000001', completion: '0.000002' }),
  standInModel({
    id: 'standin/large',
    name: 'Stand-in Large',
    prompt: '0.00001',
    completion: '0.00003',
    input: ['text', 'image', 'file'],
    pricing: { image: '0.001', input_cache_read: '0.000001', internal_reasoning: '0.00003' },
    reasons: true,
  }),
  standInModel({ id: 'standin/free', name: 'Stand-in Free', prompt: '0', completion: '0' }),
  standInModel({ id: 'standin/per-request', prompt: '0', completion: '0', pricing: { request: '0.002' } }),
  standInModel({ id: 'standin/unpriced', prompt: '-1', completion: '-1' }),
  standInModel({
    id: 'standin/painter',
    name: 'Stand-in Painter',
    prompt: '0',
    completion: '0',
    output: ['image'],
    pricing: { image: '0.04' },
  }),
  /** Pictures by the token, from text and pictures. */
  standInModel({
    id: 'standin/editor',
    name: 'Stand-in Editor',
    prompt: '0.000005',
    completion: '0',
    input: ['text', 'image'],
    output: ['image'],
    pricing: { image_output: '0.00004' },
  }),
  standInModel({
    id: 'standin/voice',
    name: 'Stand-in Voice',
    prompt: '0.00001',
    completion: '0',
    output: ['audio'],
  }),
  standInModel({
    id: 'standin/reader',
    name: 'Stand-in Reader',
    prompt: '0',
    completion: '0',
    output: ['audio'],
    pricing: { input_character: '0.00002' },
  }),
  standInModel({
    id: 'standin/embedder',
    name: 'Stand-in Embedder',
    prompt: '0.00000002',
    completion: '0',
    output: ['embeddings'],
  }),
  standInModel({
    id: 'standin/whisper',
    name: 'Stand-in Whisper',
    prompt: '0',
    completion: '0',
    input: ['audio'],
    pricing: { input_second: '0.0001' },
  }),
]

interface ModelInput {
  id: string
  name?: string
  prompt: string
  completion: string
  input?: string[]
  output?: string[]
  pricing?: Record<string, unknown>
  contextLength?: number
  outputTokenCountMax?: number
  /** May reason before it answers. */
  reasons?: boolean
}

export function standInModel({
  id,
  name = id,
  prompt,
  completion,
  input = ['text'],
  output = ['text'],
  pricing,
  contextLength = 32_000,
  outputTokenCountMax = 4_096,
  reasons = false,
}: ModelInput): Record<string, unknown> {
  return {
    id,
    canonical_slug: id,
    name,
    created: 1_750_000_000,
    description: `${name}, answers as its script says.`,
    context_length: contextLength,
    architecture: {
      modality: `${input.join('+')}->${output.join('+')}`,
      input_modalities: input,
      output_modalities: output,
      tokenizer: 'Other',
      instruct_type: null,
    },
    pricing: { prompt, completion, request: '0', image: '0', ...pricing },
    top_provider: {
      context_length: contextLength,
      max_completion_tokens: outputTokenCountMax,
      is_moderated: false,
    },
    per_request_limits: null,
    supported_parameters: [
      'max_tokens',
      'temperature',
      'tools',
      'tool_choice',
      ...(reasons ? ['reasoning'] : []),
    ],
  }
}
