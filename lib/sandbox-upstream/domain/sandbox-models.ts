/** A fixed instant, since the models came with the software. */
const CREATED_SECONDS = 1_760_000_000
/** Long enough for the "long" answer. */
const OUTPUT_TOKEN_COUNT_MAX = 8_000

/**
 * The practice models, in the format of OpenRouter's `/models`: chat models at several prices, one that draws, one that
 * speaks, one that transcribes and one that embeds.
 */
export const SANDBOX_MODELS = [
  practiceModel({
    id: 'sandbox/penny',
    name: 'Sandbox Penny',
    description: 'A practice model at the price of small models. It shows what answers look like and cost.',
    pricing: { prompt: '0.0000001', completion: '0.0000004' },
    contextLength: 32_000,
    inputModalities: ['text'],
  }),
  practiceModel({
    id: 'sandbox/quarter',
    name: 'Sandbox Quarter',
    description: 'A practice model at the price of middling models. It takes pictures and documents.',
    pricing: { prompt: '0.000001', completion: '0.000004' },
    contextLength: 128_000,
    inputModalities: ['text', 'image', 'file'],
  }),
  practiceModel({
    id: 'sandbox/dollar',
    name: 'Sandbox Dollar',
    description: 'A practice model at the price of the dearest models. It shows its reasoning first.',
    pricing: { prompt: '0.000015', completion: '0.000075' },
    contextLength: 200_000,
    inputModalities: ['text', 'image', 'file'],
    efforts: ['high', 'medium', 'low'],
  }),
  practiceModel({
    id: 'sandbox/free',
    name: 'Sandbox Free',
    description: 'A practice model that costs nothing, for a first try without credit.',
    pricing: {},
    contextLength: 8_000,
    inputModalities: ['text'],
  }),
  practiceModel({
    id: 'sandbox/painter',
    name: 'Sandbox Painter',
    description: 'A practice model that draws a coin for every prompt.',
    pricing: { image: '0.02' },
    contextLength: 4_000,
    inputModalities: ['text'],
    outputModalities: ['image'],
  }),
  practiceModel({
    id: 'sandbox/voice',
    name: 'Sandbox Voice',
    description: 'A practice model that hums one note for every word.',
    pricing: { input_character: '0.000015' },
    contextLength: 4_000,
    inputModalities: ['text'],
    outputModalities: ['audio'],
  }),
  practiceModel({
    id: 'sandbox/transcriber',
    name: 'Sandbox Transcriber',
    description: 'A practice model that hears the same sentence in every recording.',
    pricing: { input_second: '0.0001' },
    contextLength: 4_000,
    inputModalities: ['audio'],
  }),
  practiceModel({
    id: 'sandbox/embedder',
    name: 'Sandbox Embedder',
    description:
      'A practice model that turns texts into vectors: those that share words are near each other.',
    pricing: { prompt: '0.00000002' },
    contextLength: 8_000,
    inputModalities: ['text'],
    outputModalities: ['embeddings'],
  }),
]

interface PracticeModel {
  id: string
  name: string
  description: string
  /** In dollars; whatever is not named costs nothing. */
  pricing: Readonly<Record<string, string>>
  contextLength: number
  inputModalities: string[]
  outputModalities?: string[]
  /** The efforts of reasoning that it supports. */
  efforts?: string[]
}

function practiceModel(input: PracticeModel) {
  const { outputModalities = ['text'], efforts } = input
  return {
    id: input.id,
    object: 'model',
    name: input.name,
    description: input.description,
    created: CREATED_SECONDS,
    owned_by: 'sandbox',
    context_length: input.contextLength,
    architecture: { input_modalities: input.inputModalities, output_modalities: outputModalities },
    pricing: { prompt: '0', completion: '0', request: '0', image: '0', ...input.pricing },
    top_provider: { context_length: input.contextLength, max_completion_tokens: OUTPUT_TOKEN_COUNT_MAX },
    supported_parameters: [
      'max_tokens',
      'temperature',
      ...(outputModalities.includes('text') ? ['tools', 'tool_choice', 'response_format'] : []),
      ...(efforts ? ['reasoning', 'reasoning_effort'] : []),
    ],
    ...(efforts && { reasoning: { mandatory: false, supported_efforts: efforts } }),
  }
}
