import type { FieldChecks } from './field-checks'

/** How an answer is to be written, if its model has such parameters. Named as in the request. */
export interface AnswerParameters {
  /** 0 always chooses the most likely token; absent means the model's default. */
  temperature?: number
  /** How long the answer may become, including its reasoning. */
  max_tokens?: number
  /** How hard the model reasons first: one of the efforts it lists. */
  reasoning_effort?: string
}

/** What applies to every answer of a conversation. */
export interface Steering extends AnswerParameters {
  /** Sent before the conversation. */
  system_prompt?: string
}

/** About eight thousand tokens; longer ones would take the conversation's own room. */
export const SYSTEM_PROMPT_LENGTH_MAX = 32_000
export const TEMPERATURE_MAX = 2
/** Less ends in the middle of a sentence. */
export const MAX_TOKENS_LOWEST = 16
/** Beyond any model's answers. */
export const MAX_TOKENS_HIGHEST = 1_000_000
const EFFORT_PATTERN = /^[a-z]{1,16}$/

export const PARAMETER_CHECKS: FieldChecks<AnswerParameters> = {
  temperature: value => typeof value === 'number' && value >= 0 && value <= TEMPERATURE_MAX,
  max_tokens: value =>
    typeof value === 'number' &&
    Number.isInteger(value) &&
    value >= MAX_TOKENS_LOWEST &&
    value <= MAX_TOKENS_HIGHEST,
  reasoning_effort: value => typeof value === 'string' && EFFORT_PATTERN.test(value),
}

export const STEERING_CHECKS: FieldChecks<Steering> = {
  ...PARAMETER_CHECKS,
  system_prompt: value => typeof value === 'string' && value.length <= SYSTEM_PROMPT_LENGTH_MAX,
}

/** Extracts the steering fields. Every field is present, so that it replaces an earlier one. */
export function steeringOf({ system_prompt, temperature, max_tokens, reasoning_effort }: Steering): Steering {
  return { system_prompt, temperature, max_tokens, reasoning_effort }
}

/** Instructions for every chat come before the chat's own; null if there are neither. */
export function joinInstructions(everyChat: string | null, own: string | undefined): string | null {
  const parts = [everyChat, own].flatMap(text => text?.trim() || [])
  return parts.length === 0 ? null : parts.join('\n\n')
}
