import { fieldsOf, isObject, listOf } from '@/lib/http/domain/is-object'
import { tryParseJson } from '@/lib/http/domain/try-parse-json'
import type { PromptVisitor } from './walk-prompt'

/** Fields of a request that contain schemas, one or a list. */
const SCHEMA_FIELDS = ['tools', 'functions', 'response_format', 'output_config', 'text'] as const
/** Fields that may wrap a schema, from the outside in. */
const WRAPPERS = ['function', 'parameters', 'input_schema', 'format', 'json_schema', 'schema'] as const
const DEFINITION_FIELDS: ReadonlySet<string> = new Set(['$defs', 'definitions'])
/**
 * In characters, and as many for each value: ten times what a large set of tools has. More would also take too long.
 */
const WRITTEN_LENGTH_MAX = 1_000_000
const LENGTH_PER_VALUE = 50
/** For all texts together: their contents have not been counted, and parsing a megabyte of names takes a second. */
const RESULT_LENGTH_MAX = 100_000
/** No genuine schema has references that are deeper or longer. */
const REFERENCE_COUNT_MAX = 64
const REFERENCE_LENGTH_MAX = 1_000

/** A value, and the chain of references that leads to it. */
interface Step {
  value: unknown
  via: { target: object; before: Step['via']; count: number } | null
}

/**
 * Visits whatever the schemas of a request refer to again for each reference. Hosts of models that do not support
 * references replace them by their targets (LiteLLM does for Bedrock and Vertex), so that twenty definitions that each
 * refer to the next one twice become a million. A circular reference is left as it is. If the result is longer than
 * anybody intends, its length counts as unknown.
 */
export function walkReferences(
  body: unknown,
  visit: Pick<PromptVisitor, 'entry' | 'json' | 'unknownLength'>,
): void {
  const fields = isObject(body) ? SCHEMA_FIELDS.flatMap(field => body[field] ?? []) : []
  const results = resultsOf(body)
  const resultLength = results.reduce((sum, { length }) => sum + length, 0)
  const schemas = [...fields, ...(resultLength > RESULT_LENGTH_MAX ? [] : results.map(tryParseJson))]
  let writtenLength = 0
  let isTooMuch = resultLength > RESULT_LENGTH_MAX
  const count = (length: number) => {
    writtenLength += LENGTH_PER_VALUE + length
    isTooMuch ||= writtenLength > WRITTEN_LENGTH_MAX
  }
  const write = (text: string, place: 'name' | 'value') => {
    count(text.length)
    if (!isTooMuch) visit.json(text, place)
  }
  for (const schema of schemas) {
    const targetsOf = referencesIn(schema)
    const pending: Step[] = [{ value: schema, via: null }]
    for (let step = pending.pop(); step && !isTooMuch; step = pending.pop()) {
      const { value, via } = step
      if (typeof value !== 'object' || value === null) {
        if (via) write(String(value), 'value')
        continue
      }
      for (const [name, item] of Object.entries(value)) {
        if (isTooMuch) break
        if (via) visit.entry()
        if (via) write(Array.isArray(value) ? '' : name, 'name')
        pending.push({ value: item, via })
        if (name !== '$ref' || typeof item !== 'string') continue
        count(item.length)
        isTooMuch ||= item.length > REFERENCE_LENGTH_MAX || via?.count === REFERENCE_COUNT_MAX
        for (const target of isTooMuch ? [] : targetsOf(item)) {
          count(0)
          if (isTooMuch) break
          if (!isVia(via, target))
            pending.push({ value: target, via: { target, before: via, count: (via?.count ?? 0) + 1 } })
        }
      }
    }
  }
  if (isTooMuch) visit.unknownLength()
}

/** Schemas in the texts of tool results, whose references are also replaced (LiteLLM does for Gemini). */
function resultsOf(body: unknown): string[] {
  const messages = listOf(fieldsOf(body).messages).filter(isObject)
  const contents = messages.filter(({ role }) => role === 'tool').flatMap(({ content }) => content ?? [])
  const texts = contents.map(content => (isObject(content) ? content.text : content))
  return texts.filter(text => typeof text === 'string').filter(mayRefer)
}

/** Whether JSON in a text may contain references. */
export function mayRefer(text: string): boolean {
  return text.includes('"$ref"')
}

function isVia(via: Step['via'], target: object): boolean {
  for (let at = via; at; at = at.before) if (at.target === target) return true
  return false
}

/** The possible targets of a reference: some hosts follow its path, others only look for its last name. */
function referencesIn(schema: unknown): (reference: string) => Set<object> {
  const named = new Map<string, object[]>()
  const pending = [schema]
  while (pending.length > 0) {
    const value = pending.pop()
    if (typeof value !== 'object' || value === null) continue
    for (const [field, item] of Object.entries(value)) {
      pending.push(item)
      if (!DEFINITION_FIELDS.has(field) || !isObject(item)) continue
      for (const [name, target] of Object.entries(item)) {
        const targets = named.get(name) ?? []
        if (isObject(target)) targets.push(target)
        named.set(name, targets)
      }
    }
  }
  const roots: Record<string, unknown>[] = []
  for (let root = schema; isObject(root); root = innerOf(root)) roots.push(root)
  const known = new Map<string, Set<object>>()
  return reference => {
    const path = known.has(reference) ? [] : reference.split('/').slice(1).map(unescaped)
    const pointed = roots.map(root => valueAt(root, path)).filter(isObject)
    const found = known.get(reference) ?? new Set([...(named.get(path.at(-1) ?? '') ?? []), ...pointed])
    known.set(reference, found)
    return found
  }
}

function innerOf(outer: Record<string, unknown>): unknown {
  return WRAPPERS.map(wrapper => outer[wrapper]).find(isObject)
}

/** A reference to the schema as a whole is not replaced. */
function valueAt(root: object, path: readonly string[]): unknown {
  let value: unknown = path.length > 0 ? root : undefined
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = Reflect.get(value, name)
  }
  return value
}

/** Undoes the escapes of RFC 6901. */
function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~')
}
