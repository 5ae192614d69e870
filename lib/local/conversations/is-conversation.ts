import { isNotNegative, isObject } from '@/lib/http/domain/is-object'
import { type ContentPart, type Conversation, EXTRAS_MAX, type Message } from '../domain/conversation'
import { type FieldChecks, hasSoundFields } from '../domain/field-checks'
import { PARAMETER_CHECKS, STEERING_CHECKS } from '../domain/steering'
import { SEEN_ENDS_COUNT_MAX } from '../domain/turns'

const isText = (value: unknown): value is string => typeof value === 'string'
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'

/** Twice as long as any id ever made here. */
const ID_LENGTH_MAX = 72
/** No answer is merged from more; a comparison has four at most, and one more with each merge. */
const MERGED_COUNT_MAX = 16

export const CONVERSATION_FIELDS: FieldChecks = {
  title: isText,
  model: isText,
  updated_at: value => isText(value) && !Number.isNaN(Date.parse(value)),
  title_updated_at: isText,
  steering_updated_at: isText,
  earlier_messages_max: value => isNotNegative(value) && Number.isInteger(value),
  ...STEERING_CHECKS,
  branches: value => Array.isArray(value) && value.every(isBranch),
  seen_ends: value => isListOf(value, SEEN_ENDS_COUNT_MAX, isText),
}

export const MESSAGE_FIELDS: FieldChecks = {
  id: isText,
  parent: value => value === null || isText(value),
  created_at: isText,
  updated_at: isText,
  model: isText,
  reasoning: isText,
  receipt: isReceipt,
  speech_receipt: value => isObject(value) && isText(value.cost_usd),
  status: isText,
  error_code: isText,
  finish_reason: isText,
  exchange_id: isText,
  annotations: value => isListOf(value, EXTRAS_MAX.citations, isCitation),
  tool_calls: value => isListOf(value, EXTRAS_MAX.toolCalls, isToolCall),
  timing: isTiming,
  continues: isBoolean,
  left_out: isBoolean,
  summarises: isBoolean,
  comparison: value => isText(value) && value !== '' && value.length <= ID_LENGTH_MAX,
  kept: isBoolean,
  merges: value => isListOf(value, MERGED_COUNT_MAX, isText),
  takes_files: isBoolean,
  takes_pictures: isBoolean,
  window_tokens: value => typeof value === 'number',
  ...PARAMETER_CHECKS,
}

/**
 * What the rest of the code may rely on. Fields, roles and parts that a newer version added pass unchanged, so readers
 * need a default for roles and part types that they do not know.
 */
export function isConversation(value: unknown): value is Conversation {
  return (
    isObject(value) &&
    isText(value.id) &&
    value.id !== '' &&
    // The id is used in an address, which cannot contain half a surrogate pair: a single such id would break every page
    // of the chat.
    value.id.isWellFormed() &&
    isText(value.created_at) &&
    !Number.isNaN(Date.parse(value.created_at)) &&
    hasSoundFields(value, CONVERSATION_FIELDS) &&
    Array.isArray(value.messages) &&
    value.messages.every(isMessage)
  )
}

export function isMessage(value: unknown): value is Message {
  return (
    isObject(value) &&
    isText(value.role) &&
    (isText(value.content) || (Array.isArray(value.content) && value.content.every(isPart))) &&
    hasSoundFields(value, MESSAGE_FIELDS)
  )
}

/** A branch is found by its id, and placed by its parent. */
export function isBranch(value: unknown): value is Message {
  return isMessage(value) && value.id !== undefined && value.parent !== undefined
}

export function isPart(value: unknown): value is ContentPart {
  if (!isObject(value) || !isText(value.type)) return false
  if (value.type === 'text') return isText(value.text)
  if (value.type === 'image_url' || value.type === 'document_url') return isSource(value[value.type])
  return true
}

function isSource(value: unknown): boolean {
  return (
    isObject(value) &&
    isText(value.url) &&
    isText(value.created_at) &&
    (value.name === undefined || isText(value.name))
  )
}

function isListOf(value: unknown, countMax: number, isSound: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length <= countMax && value.every(isSound)
}

function isShortText(value: unknown, lengthMax: number): boolean {
  return isText(value) && value.length <= lengthMax
}

function isCitation(value: unknown): boolean {
  if (!isObject(value) || !isObject(value.url_citation)) return false
  const { url, title = '' } = value.url_citation
  return [url, title].every(text => isShortText(text, EXTRAS_MAX.citationLength))
}

function isToolCall(value: unknown): boolean {
  if (!isObject(value) || !isObject(value.function)) return false
  const { name, arguments: given } = value.function
  return [name, given].every(text => isShortText(text, EXTRAS_MAX.toolLength))
}

function isTiming(value: unknown): boolean {
  if (!isObject(value)) return false
  const { first_token_ms: first, total_ms: total, reasoning_ms: reasoning = 0 } = value
  return [first, total, reasoning].every(isNotNegative)
}

function isReceipt(value: unknown): boolean {
  return (
    isObject(value) &&
    isText(value.cost_usd) &&
    typeof value.input_token_count === 'number' &&
    typeof value.output_token_count === 'number' &&
    ['undefined', 'number'].includes(typeof value.image_count) &&
    ['undefined', 'number'].includes(typeof value.reasoning_token_count) &&
    ['undefined', 'number'].includes(typeof value.cached_token_count) &&
    ['undefined', 'number'].includes(typeof value.cache_write_token_count) &&
    ['undefined', 'string'].includes(typeof value.left_usd) &&
    typeof value.estimated === 'boolean'
  )
}
