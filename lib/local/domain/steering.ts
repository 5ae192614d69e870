/** How an answer is to be written, where its model can be told. Named as in the request. */
export interface AnswerParameters {
  /** 0 keeps to what is likeliest; absent is the model's own. */
  temperature?: number
  /** How long the answer may become, thoughts included. */
  max_tokens?: number
  /** How hard the model thinks first: one of its own list. */
  reasoning_effort?: string
}

/** What is asked of every answer of a conversation. */
export interface Steering extends AnswerParameters {
  /** Sent before everything that was said. */
  system_prompt?: string
}

/** Some eight thousand tokens; longer ones take the room of the conversation itself. */
export const SYSTEM_PROMPT_LENGTH_MAX = 32_000
export const TEMPERATURE_MAX = 2
/** Less ends in the middle of a sentence. */
export const MAX_TOKENS_LOWEST = 16
/** Beyond any model's answers. */
export const MAX_TOKENS_HIGHEST = 1_000_000
const EFFORT_PATTERN = /^[a-z]{1,16}$/

export const PARAMETER_CHECKS: Readonly<Record<keyof AnswerParameters, (value: unknown) => boolean>> = {
  temperature: value => typeof value === 'number' && value >= 0 && value <= TEMPERATURE_MAX,
  max_tokens: value =>
    typeof value === 'number' &&
    Number.isInteger(value) &&
    value >= MAX_TOKENS_LOWEST &&
    value <= MAX_TOKENS_HIGHEST,
  reasoning_effort: value => typeof value === 'string' && EFFORT_PATTERN.test(value),
}

export const STEERING_CHECKS: Readonly<Record<keyof Steering, (value: unknown) => boolean>> = {
  ...PARAMETER_CHECKS,
  system_prompt: value => typeof value === 'string' && value.length <= SYSTEM_PROMPT_LENGTH_MAX,
}

/** The steering of something that has more; every field stands there, so that it replaces another one. */
export function steeringOf({ system_prompt, temperature, max_tokens, reasoning_effort }: Steering): Steering {
  return { system_prompt, temperature, max_tokens, reasoning_effort }
}

/** Null where nothing is asked for: what is sent to every chat stands before what this one has of its own. */
export function joinInstructions(everyChat: string | null, own: string | undefined): string | null {
  const parts = [everyChat, own].flatMap(text => text?.trim() || [])
  return parts.length === 0 ? null : parts.join('\n\n')
}
