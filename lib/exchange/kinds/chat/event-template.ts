import 'server-only'
import { isObject } from '@/lib/http/domain/is-object'
import { parseJsonObject } from '@/lib/upstream/read-body'
import { type DeltaField, isOnlyForm, WORD_FIELDS } from './delivered'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20
const ASCII_MAX = 0x7f

const PLAIN_TEXT = /^[^"\\\p{Cc}]*$/u
/** Occurs in no text of a model. */
const PROBE = 'e5a1c0f7-probe'

/**
 * Nearly all events of a stream differ in one piece of text only. Once an event has been parsed, others need not be:
 * if their bytes agree with it around a text without quotes, escapes and control characters, they are the same JSON
 * with another text in it.
 */
export interface EventTemplate {
  readonly field: DeltaField
  /** The event that begins at this position, if it fits the template. */
  match(bytes: Buffer, start: number): { text: string; end: number } | null
}

/** Null for an event that holds more than one piece of text, or whose text cannot be located for certain. */
export function templateOf(event: Buffer, parsed: Record<string, unknown>): EventTemplate | null {
  const told = pieceOf(parsed)
  if (!told || !PLAIN_TEXT.test(told.text)) return null
  const whole = event.toString('utf8')
  // One line of data and a blank line.
  if (!whole.startsWith('data:') || whole.indexOf('\n') !== whole.length - 2) return null
  for (const colon of ['":"', '": "']) {
    const opening = `"${told.field}${colon}`
    const at = whole.indexOf(`${opening}${told.text}"`)
    if (at < 0) continue
    const before = whole.slice(0, at + opening.length)
    const after = whole.slice(at + opening.length + told.text.length)
    const probed = parseJsonObject(`${before}${PROBE}${after}`.slice('data:'.length))
    if (probed && pieceOf(probed)?.text === PROBE) return createTemplate(told.field, before, after)
  }
  return null
}

/** The text of an event that holds one choice with one piece of text and nothing else. */
function pieceOf({ choices, usage }: Record<string, unknown>): { field: DeltaField; text: string } | null {
  const choice: unknown = Array.isArray(choices) && choices.length === 1 ? choices[0] : null
  if (usage != null || !isObject(choice) || !isObject(choice.delta)) return null
  if (choice.finish_reason != null || choice.text !== undefined) return null
  const told = Object.entries(choice.delta).filter(([name, value]) => !isOnlyForm(name, value))
  const [field, text] = told.length === 1 && told[0] ? told[0] : []
  const known = WORD_FIELDS.find(name => name === field)
  return known && typeof text === 'string' ? { field: known, text } : null
}

function createTemplate(field: DeltaField, before: string, after: string): EventTemplate {
  const head = Buffer.from(before)
  const tail = Buffer.from(after)
  return {
    field,
    match(bytes, start) {
      const textStart = start + head.length
      if (textStart > bytes.length || bytes.compare(head, 0, head.length, start, textStart) !== 0) return null
      let textEnd = textStart
      let isAscii = true
      for (; ; textEnd += 1) {
        const byte = bytes[textEnd]
        if (byte === QUOTE) break
        if (byte === undefined || byte === BACKSLASH || byte < SPACE) return null
        if (byte >= ASCII_MAX) isAscii = false
      }
      const end = textEnd + tail.length
      if (end > bytes.length || bytes.compare(tail, 0, tail.length, textEnd, end) !== 0) return null
      return { text: bytes.toString(isAscii ? 'latin1' : 'utf8', textStart, textEnd), end }
    },
  }
}
