import { asText, isObject } from '@/lib/http/domain/is-object'
import type { Conversation, Message } from '../domain/conversation'
import type { FieldChecks } from '../domain/field-checks'
import type { JsonRecord } from '../storage/json'
import { readDate } from '../storage/read-date'
import {
  CONVERSATION_FIELDS,
  isBranch,
  isConversation,
  isMessage,
  isPart,
  MESSAGE_FIELDS,
} from './is-conversation'

/** For a conversation without any readable date: it is sorted last instead of being dropped. */
const UNKNOWN_DATE = '1970-01-01T00:00:00.000Z'
/** The date that the first migration gives to parts without one. */
export const UNDATED_PART_DATE = '2025-01-12'

export interface ParsedConversation {
  conversation: Conversation
  /** False if something unreadable was left out; the original then has to be set aside. */
  isWhole: boolean
}

/**
 * Reads a conversation of ours, of the specified bare shape, or of another version: what is missing is filled in, what
 * is unknown is kept. Null without an id or a list of messages.
 */
export function parseConversation(value: unknown): ParsedConversation | null {
  if (isConversation(value)) return { conversation: value, isWhole: true }
  if (!isObject(value) || !Array.isArray(value.messages)) return null
  const messages = repairMessages(value.messages, isMessage)
  const branches = Array.isArray(value.branches) ? repairMessages(value.branches, isBranch) : null
  const fields = keepSound(
    { ...withTexts(value), ...(branches && { branches: branches.kept }) },
    CONVERSATION_FIELDS,
  )
  const conversation: unknown = {
    ...fields.record,
    created_at: firstDate([value.created_at, value.updated_at, messages.kept[0]?.created_at]),
    messages: messages.kept,
  }
  if (!isConversation(conversation)) return null
  return { conversation, isWhole: fields.isWhole && messages.isWhole && branches?.isWhole !== false }
}

function repairMessages(
  items: unknown[],
  isSound: (value: unknown) => value is Message,
): { kept: Message[]; isWhole: boolean } {
  const repaired = items.map(repairMessage)
  const kept = repaired.map(item => item.message).filter(isSound)
  return { kept, isWhole: kept.length === items.length && repaired.every(item => item.isWhole) }
}

function repairMessage(value: unknown, index: number): { message: unknown; isWhole: boolean } {
  if (isMessage(value) || !isObject(value)) return { message: value, isWhole: true }
  const fields = keepSound(withTexts(value), MESSAGE_FIELDS)
  const parts: unknown[] | null = Array.isArray(value.content) ? value.content.map(repairPart) : null
  const content = parts ? parts.filter(isPart) : (value.content ?? '')
  // A specified message only has content: questions and answers alternate.
  const role = typeof value.role === 'string' ? value.role : index % 2 === 0 ? 'user' : 'assistant'
  return {
    message: { ...fields.record, role, content },
    isWhole: fields.isWhole && (parts === null || parts.every(isPart)),
  }
}

/** Older stores have a part's address as plain text, or without its date. */
function repairPart(part: unknown): unknown {
  if (!isObject(part) || (part.type !== 'image_url' && part.type !== 'document_url')) return part
  const held = part[part.type]
  const source = typeof held === 'string' ? { url: held } : held
  if (!isObject(source)) return part
  return {
    ...part,
    [part.type]: {
      ...source,
      url: asText(source.url),
      name: source.name ?? undefined,
      created_at: firstDate([source.created_at, part.created_at], UNDATED_PART_DATE),
    },
  }
}

/** Other products use numbers as ids and dates; here both are text, and an id has no broken characters. */
function withTexts(record: JsonRecord): JsonRecord {
  const texts = { ...record }
  if (typeof record.id === 'number') texts.id = String(record.id)
  if (typeof record.id === 'string') texts.id = record.id.toWellFormed()
  for (const field of ['created_at', 'updated_at']) {
    const date = readDate(record[field])
    if (date !== null) texts[field] = date
  }
  return texts
}

function keepSound(record: JsonRecord, checks: FieldChecks): { record: JsonRecord; isWhole: boolean } {
  const entries = Object.entries(record)
  const sound = entries.filter(([field, value]) => {
    const check = Object.hasOwn(checks, field) ? checks[field] : undefined
    return check === undefined || check(value)
  })
  // A null means "absent" in other products' stores; leaving it out loses nothing.
  const lost = entries.filter(entry => !sound.includes(entry) && entry[1] !== null)
  return { record: Object.fromEntries(sound), isWhole: lost.length === 0 }
}

function firstDate(candidates: unknown[], otherwise = UNKNOWN_DATE): string {
  for (const candidate of candidates) {
    const date = readDate(candidate)
    if (date !== null) return date
  }
  return otherwise
}
