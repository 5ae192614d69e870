import { fieldsOf, isObject } from '@/lib/http/domain/is-object'
import { tryParseJson } from '@/lib/http/domain/try-parse-json'
import { parseCsv, writeCsv } from './csv'
import { type PromptFields, readPromptFields } from './prompt'

/** Several times the largest known collection. */
export const PROMPT_FILE_BYTES_MAX = 20_000_000
const ENTRY_COUNT_MAX = 50_000

interface PromptFile {
  readonly prompts: readonly PromptFields[]
  /** Entries without content, or with more than can be stored. */
  readonly skippedCount: number
}

/** Reads the CSV of prompts.chat and the JSON of Open WebUI; null if the text is neither. */
export function readPromptFile(text: string): PromptFile | null {
  const isJson = /^[\s\uFEFF]*[[{]/.test(text)
  const entries = isJson ? readOpenWebUi(text) : readPromptsChat(text)
  if (!entries) return null
  const prompts = entries.flatMap(entry => entry ?? [])
  return { prompts, skippedCount: entries.length - prompts.length }
}

const COLUMNS = ['act', 'prompt', 'for_devs', 'type', 'contributor'] as const

function readPromptsChat(text: string): (PromptFields | null)[] | null {
  const [head = [], ...rows] = parseCsv(text)
  const columns = head.map(name => name.trim().toLowerCase())
  const [name, content] = [columns.indexOf('act'), columns.indexOf('prompt')]
  if (name < 0 || content < 0) return null
  // An empty line is the end of the file, not a prompt.
  return rows
    .filter(row => row.some(field => field !== ''))
    .map(row => readPromptFields(row[name], row[content]))
}

/** An exported list, or one of its prompts; earlier versions have `title` for the name. */
function readOpenWebUi(text: string): (PromptFields | null)[] | null {
  const file = tryParseJson(text.replace(/^\uFEFF/, ''))
  const entries: unknown[] = Array.isArray(file) ? file : [file]
  if (!Array.isArray(file) && !(isObject(file) && 'content' in file)) return null
  return entries.slice(0, ENTRY_COUNT_MAX).map(entry => {
    if (!isObject(entry)) return null
    const names = [entry.name, entry.title, entry.command]
    const name = names.find(one => typeof one === 'string' && one.trim() !== '')
    return readPromptFields(name, entry.content, fieldsOf(entry.data))
  })
}

export function toPromptsChat(prompts: readonly PromptFields[]): string {
  return writeCsv([COLUMNS, ...prompts.map(({ name, content }) => [name, content, 'FALSE', 'TEXT', ''])])
}

/** Readable by its earlier versions and by the present one; fields that they lack are in `data`. */
export function toOpenWebUi(prompts: readonly PromptFields[]): string {
  const taken = new Set<string>()
  const entries = prompts.map(({ name, content, model, temperature, max_tokens, reasoning_effort }) => ({
    command: commandFor(name, taken),
    title: name,
    name,
    content,
    data: { model, temperature, max_tokens, reasoning_effort },
  }))
  return JSON.stringify(entries, null, 2)
}

/** Letters, digits and hyphens, as Open WebUI requires; each only once. */
function commandFor(name: string, taken: Set<string>): string {
  const plain = name.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '')
  const base =
    plain
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 50) || 'prompt'
  let command = base
  for (let copy = 2; taken.has(command); copy += 1) command = `${base}-${copy}`
  taken.add(command)
  return command
}
