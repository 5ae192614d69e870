import { describe, expect, test } from '@jest/globals'
import { measurePrompt } from './measure-prompt'
import { walkReferences } from './schema-references'

type Schema = Record<string, unknown>

const asTool = (parameters: Schema) => ({
  tools: [{ type: 'function', function: { name: 'f', parameters } }],
})
const measureOf = (schema: Schema) => measurePrompt(asTool(schema))

/** What a host without support for references writes: each replaced by its target, except circular ones. */
function inlined(schema: Schema, via: readonly unknown[] = []): unknown {
  const definitions = (schema.$defs ?? {}) as Schema
  const replaced = (value: unknown, before: readonly unknown[]): unknown => {
    if (Array.isArray(value)) return value.map(item => replaced(item, before))
    if (typeof value !== 'object' || value === null) return value
    const { $ref: reference, ...rest } = value as Schema
    const target = definitions[String(reference).split('/').at(-1) ?? '']
    if (target !== undefined && !before.includes(target)) return replaced(target, [...before, target])
    return Object.fromEntries(Object.entries(rest).map(([name, item]) => [name, replaced(item, before)]))
  }
  const { $defs: _definitions, ...rest } = schema
  return replaced(rest, via)
}

/** Each definition names the next one twice. */
const doubled = (count: number): Schema => {
  const pair = (index: number) => ({ $ref: `#/$defs/D${index}` })
  const definitions = Array.from({ length: count }, (_, index) => [
    `D${index}`,
    { type: 'object', properties: { left: pair(index + 1), right: pair(index + 1) } },
  ])
  const last = [`D${count}`, { type: 'string', description: 'A word or two.' }]
  return { type: 'object', properties: { first: pair(0) }, $defs: Object.fromEntries([...definitions, last]) }
}

describe('a schema with references', () => {
  test.each<[string, Schema]>([
    ['twice the same', doubled(1)],
    ['twice, in six steps', doubled(6)],
    [
      'to itself',
      {
        properties: { tree: { $ref: '#/$defs/Node' } },
        $defs: { Node: { properties: { nodes: { type: 'array', items: { $ref: '#/$defs/Node' } } } } },
      },
    ],
  ])('%s is measured as if each reference were replaced by its target', (_, schema) => {
    const { byteCount, isUnbounded } = measureOf(schema)
    expect(byteCount).toBeGreaterThanOrEqual(JSON.stringify(inlined(schema)).length)
    expect(isUnbounded).toBe(false)
  })

  test('to a path inside the schema counts the target each time', () => {
    const description = 'x'.repeat(1_000)
    const schema = {
      properties: { a: { description }, b: { $ref: '#/properties/a' }, c: { $ref: '#/properties/a' } },
    }
    expect(measureOf(schema).byteCount).toBeGreaterThan(3_000)
    const format = { type: 'json_schema', json_schema: { name: 'n', schema } }
    expect(measurePrompt({ response_format: format }).byteCount).toBeGreaterThan(3_000)
    expect(measurePrompt({ tools: [{ name: 'f', input_schema: schema }] }).byteCount).toBeGreaterThan(3_000)
  })

  test('is measured in tool results too, but not in messages of a user', () => {
    const content = JSON.stringify({ input: doubled(6) })
    const told = (role: string, said: unknown) => measurePrompt({ messages: [{ role, content: said }] })
    const most = JSON.stringify(inlined(doubled(6))).length
    expect(told('tool', content).byteCount).toBeGreaterThanOrEqual(most)
    expect(told('tool', [{ type: 'text', text: content }]).byteCount).toBeGreaterThanOrEqual(most)
    expect(told('tool', `${content}${' '.repeat(1_000_000)}`).isUnbounded).toBe(true)
    expect(told('tool', content.slice(1)).byteCount).toBeLessThan(2 * content.length)
    expect(told('user', content).byteCount).toBeLessThan(2 * content.length)
  })

  test('that expands to an absurd size has an unknown length', () => {
    expect(measureOf(doubled(40)).isUnbounded).toBe(true)
    const ring = Array.from({ length: 12 }, (_, index) => `R${index}`)
    const all = ring.map(name => ({ $ref: `#/$defs/${name}` }))
    const $defs = Object.fromEntries(ring.map(name => [name, { anyOf: all }]))
    expect(measureOf({ anyOf: all, $defs }).isUnbounded).toBe(true)
  })

  test('is not expanded beyond the size limit', () => {
    const texts: string[] = []
    const tally = { entry: () => {}, json: (text: string) => void texts.push(text), unknownLength: () => {} }
    const long = { description: 'x'.repeat(900_000) }
    const schema = { ...doubled(8), $defs: { ...(doubled(8).$defs as Schema), D8: long } }
    walkReferences(asTool(schema), tally)
    expect(texts.join('').length).toBeLessThan(1_000_000)
    const empty = { $defs: Object.fromEntries([...'abcdefghij'].map(name => [name, { $defs: { X: {} } }])) }
    const many = { anyOf: Array.from({ length: 5_000 }, () => ({ $ref: '#/$defs/X' })), ...empty }
    expect(measureOf(many).isUnbounded).toBe(true)
    const named = `#/$defs/${'x'.repeat(1_000)}`
    expect(measureOf({ properties: { a: { $ref: named } } }).isUnbounded).toBe(true)
  })

  test.each(['#', '', '#/$defs/Nobody', '#/__proto__', 'https://example.com/a.json'])(
    'to a missing target, %j, counts once',
    reference => {
      const { byteCount, isUnbounded } = measureOf({ properties: { a: { $ref: reference } } })
      expect(byteCount).toBeLessThan(400)
      expect(isUnbounded).toBe(false)
    },
  )
})
