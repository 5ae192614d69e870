import { listOf } from '@/lib/http/domain/is-object'
import { tryParseJson } from '@/lib/http/domain/try-parse-json'

/**
 * The blanks of a prompt, in the notations of Open WebUI, `{{name}}` and `{{name | type:property="value"}}`, and of
 * prompts.chat, `${name}` and `${name:default}`, which may also be written with two braces, as it accepts from
 * elsewhere. `[Brackets]` are ordinary text.
 */
export interface Variable {
  readonly name: string
  readonly type: VariableType
  readonly defaultText: string
  readonly placeholder: string
  readonly isRequired: boolean
  /** The choices of a `select`. */
  readonly options: readonly string[]
  /** Limits of numbers, as written. */
  readonly bounds: Readonly<Partial<Record<'min' | 'max' | 'step', string>>>
}

const VARIABLE_TYPES = [
  'text',
  'textarea',
  'select',
  'checkbox',
  'number',
  'range',
  'date',
  'datetime-local',
  'month',
  'time',
  'email',
  'tel',
  'url',
  'color',
] as const
type VariableType = (typeof VARIABLE_TYPES)[number]

interface Blank {
  readonly variable: Variable
  readonly start: number
  readonly end: number
  /** What remains if nothing is filled in: `${…}` may be a piece of code. */
  readonly emptyText: string
}

/** Nobody fills in a form with more blanks; further ones stay as they are written. */
const VARIABLE_COUNT_MAX = 50
const OPTION_COUNT_MAX = 100
const DEFINITION_LENGTH_MAX = 4_000
const HEAD_LENGTH_MAX = 500
const BRACES_HEAD =
  /^\{\{\s*([\p{L}\p{N}_][\p{L}\p{N}\p{M} _.'-]{0,63}?)\s*(?:(\|)|(?::([^{}\n]{0,400}))?\}\})/u
const DOLLAR = /^\$\{\s*([\p{L}\p{N}_][\p{L}\p{N}\p{M} _.'-]{0,63}?)\s*(?::([^{}\n]{0,400}))?\}/u

/** Each variable once, as defined at its first occurrence. */
export function variablesOf(content: string): readonly Variable[] {
  const variables = new Map<string, Variable>()
  for (const { variable } of blanksOf(content)) {
    if (!variables.has(variable.name)) variables.set(variable.name, variable)
  }
  return [...variables.values()]
}

/** The prompt with its blanks filled in; the values are not searched for variables again. */
export function fillIn(content: string, values: ReadonlyMap<string, string>): string {
  const parts: string[] = []
  let position = 0
  for (const { variable, start, end, emptyText } of blanksOf(content)) {
    parts.push(content.slice(position, start), values.get(variable.name) || emptyText)
    position = end
  }
  return `${parts.join('')}${content.slice(position)}`
}

function blanksOf(content: string): readonly Blank[] {
  const blanks: Blank[] = []
  const names = new Set<string>()
  const opening = /\{\{|\$\{/g
  for (let found = opening.exec(content); found !== null; found = opening.exec(content)) {
    const blank = found[0] === '{{' ? readBraces(content, found.index) : readDollar(content, found.index)
    if (!blank) continue
    const { name } = blank.variable
    if (!names.has(name) && names.size >= VARIABLE_COUNT_MAX) continue
    names.add(name)
    blanks.push(blank)
    opening.lastIndex = blank.end
  }
  return blanks
}

function readBraces(content: string, start: number): Blank | null {
  const [head = '', name = '', isDefined, defaultText] =
    BRACES_HEAD.exec(content.slice(start, start + HEAD_LENGTH_MAX)) ?? []
  // `style={{color: red}}` is a piece of code.
  if (name === '' || (defaultText !== undefined && content[start - 1] === '=')) return null
  const afterHead = start + head.length
  if (!isDefined) {
    const variable = { ...readDefinition(name, ''), defaultText: defaultText?.trim() ?? '' }
    return { variable, start, end: afterHead, emptyText: '' }
  }
  const text = content.slice(afterHead, afterHead + DEFINITION_LENGTH_MAX)
  const length = closingAt(text)
  if (length < 0) return null
  const variable = readDefinition(name, text.slice(0, length).trim())
  return { variable, start, end: afterHead + length + 2, emptyText: '' }
}

/** Where the braces close, outside of quotes; -1 if they do not. */
function closingAt(text: string): number {
  let isQuoted = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (character === '\\' && isQuoted) index += 1
    else if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && text.startsWith('}}', index)) return index
  }
  return text.indexOf('}}')
}

function readDollar(content: string, start: number): Blank | null {
  const [whole = '', name = '', defaultText = ''] =
    DOLLAR.exec(content.slice(start, start + DEFINITION_LENGTH_MAX)) ?? []
  if (name === '') return null
  const variable = { ...readDefinition(name, ''), defaultText: defaultText.trim() }
  return { variable, start, end: start + whole.length, emptyText: whole }
}

/** `select:options=["a","b"]:default="a":required`; whatever is not understood is ignored. */
function readDefinition(name: string, definition: string): Variable {
  const type = /^[a-z-]*/.exec(definition)?.[0]
  const properties = new Map<string, string>()
  for (const [, key = '', text = ''] of definition.matchAll(
    /:\s*([a-z]+)(?:\s*=\s*("(?:[^"\\]|\\.)*"|\[(?:"(?:[^"\\]|\\.)*"|[^\]"])*\]|[^:]*))?/gi,
  )) {
    if (!properties.has(key)) properties.set(key, text.trim())
  }
  const text = (key: string) => unquoted(properties.get(key) ?? '')
  const bounds = (['min', 'max', 'step'] as const).flatMap(key =>
    text(key) === '' ? [] : [[key, text(key)]],
  )
  return {
    name,
    type: VARIABLE_TYPES.find(one => one === type) ?? 'text',
    defaultText: text('default'),
    placeholder: text('placeholder'),
    isRequired: properties.has('required') && text('required') !== 'false',
    options: readOptions(properties.get('options') ?? ''),
    bounds: Object.fromEntries(bounds),
  }
}

function readOptions(text: string): readonly string[] {
  const options = listOf(tryParseJson(text)).filter(
    (one): one is string => typeof one === 'string' && one !== '',
  )
  return [...new Set(options)].slice(0, OPTION_COUNT_MAX)
}

function unquoted(text: string): string {
  const parsed = text.startsWith('"') ? tryParseJson(text) : null
  return typeof parsed === 'string' ? parsed : text.replace(/^"|"$/g, '')
}
