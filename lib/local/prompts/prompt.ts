import { isObject } from '@/lib/http/domain/is-object'
import { type FieldChecks, hasSoundFields, soundFields } from '../domain/field-checks'
import { foldQuery, foldText } from '../domain/fold-text'
import { type AnswerParameters, PARAMETER_CHECKS, SYSTEM_PROMPT_LENGTH_MAX } from '../domain/steering'

/** A text to be used repeatedly; with a model or parameters, also a way to start a chat. */
export interface Prompt extends AnswerParameters {
  id: string
  name: string
  /** May contain variables: see variables.ts. */
  content: string
  /** The id of the model that goes with it. */
  model?: string
  /** ISO 8601, of the last change. */
  updated_at: string
}

/** A prompt without where and when it is stored. */
export type PromptFields = Omit<Prompt, 'id' | 'updated_at'>

export const PROMPT_NAME_LENGTH_MAX = 200
const MODEL_LENGTH_MAX = 256

const isText = (value: unknown, lengthMax: number): value is string =>
  typeof value === 'string' && value.length <= lengthMax

/** Whether it has a usable name, and a text that fits before a conversation. */
function hasWords(value: Record<string, unknown>): value is Pick<Prompt, 'name' | 'content'> {
  const { name, content } = value
  return (
    isText(name, PROMPT_NAME_LENGTH_MAX) &&
    name.trim() !== '' &&
    isText(content, SYSTEM_PROMPT_LENGTH_MAX) &&
    content.trim() !== ''
  )
}

type OptionalFields = Omit<PromptFields, 'name' | 'content'>

const OPTIONAL_CHECKS: FieldChecks<OptionalFields> = {
  model: value => isText(value, MODEL_LENGTH_MAX) && value !== '',
  ...PARAMETER_CHECKS,
}

export function isPrompt(value: unknown): value is Prompt {
  return (
    isObject(value) &&
    isText(value.id, 100) &&
    value.id !== '' &&
    isText(value.updated_at, 40) &&
    hasWords(value) &&
    hasSoundFields(value, OPTIONAL_CHECKS)
  )
}

/** Null for a prompt without content, or with more than can be stored. */
export function readPromptFields(
  name: unknown,
  content: unknown,
  rest: Record<string, unknown> = {},
): PromptFields | null {
  const words = { name: typeof name === 'string' ? name.trim() : name, content }
  return hasWords(words) ? { ...words, ...soundFields<OptionalFields>(rest, OPTIONAL_CHECKS) } : null
}

/** The prompts that contain every word of the query, in their given order. */
export function findPrompts<Found extends PromptFields>(
  prompts: readonly Found[],
  query: string,
): readonly Found[] {
  const words = foldQuery(query)
  if (words.length === 0) return prompts
  return prompts.filter(({ name, content }) => {
    const text = foldText(`${name}\n${content}`)
    return words.every(word => text.includes(word))
  })
}
