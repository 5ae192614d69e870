export const JSON_TYPE = 'application/json'
/** Deeper than any stack that a naive recursion would use. */
const NESTING_DEPTH = 100_000
const deep = '['.repeat(NESTING_DEPTH) + ']'.repeat(NESTING_DEPTH)

export interface Body {
  name: string
  text: string | Buffer
  type?: string
}

/** Bodies that no route accepts. */
export const WRONG_BODIES: Body[] = [
  { name: 'null', text: 'null' },
  { name: 'a number', text: '12' },
  { name: 'a huge number', text: '1e999' },
  { name: 'a string', text: '"text"' },
  { name: 'true', text: 'true' },
  { name: 'an array', text: '[]' },
  { name: 'an array of objects', text: '[{"model":"standin/small"}]' },
  { name: 'broken JSON', text: '{"amount": 1' },
  { name: 'two values', text: '{} {}' },
  { name: 'a NUL byte', text: '\0' },
  { name: 'not UTF-8', text: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) },
  { name: 'deep nesting', text: deep },
  { name: 'deep nesting, unclosed', text: '['.repeat(NESTING_DEPTH) },
  { name: 'a form', text: 'amount=1&currency=USD', type: 'application/x-www-form-urlencoded' },
  { name: 'a multipart form', text: '--x\r\n\r\nvalue\r\n--x--', type: 'multipart/form-data; boundary=x' },
]

/** Bodies equivalent to an empty object, which some routes accept; nothing in them may have an effect. */
export const EMPTY_BODIES: Body[] = [
  { name: 'nothing', text: '' },
  { name: 'an empty object', text: '{}' },
  { name: 'an empty object as text', text: '{}', type: 'text/plain' },
  { name: 'unknown fields', text: '{"unknown":1,"":2}' },
  {
    name: 'a prototype',
    text: '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  },
]

/** Hostile field values, as JSON. */
const HOSTILE_VALUES = [
  'null',
  'true',
  '0',
  '-1',
  '1e308',
  '1e-320',
  '9007199254740993',
  '18446744073709551616',
  '""',
  '"text"',
  '"1e309"',
  '"-0"',
  '"nul \\u0000 inside"',
  '"half a pair \\ud800"',
  JSON.stringify('long '.repeat(1_000)),
  '[]',
  '{"length":{"toString":1}}',
  '[null]',
  '[[[]]]',
  '{}',
  '{"__proto__":{"polluted":true}}',
  '{"utm_source":"nul \\u0000 inside"}',
  '{"utm_source":"half a pair \\ud800"}',
  '[{"role":"user","content":null}]',
  '[{"role":"user","content":{"type":"text"}}]',
  '[{"role":"user","content":[{"type":"image_url","image_url":null}]}]',
  '[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:,"}}]}]',
  '[{"role":"user","content":"nul \\u0000 inside"}]',
  `[{"role":"user","content":${deep}}]`,
]

/**
 * For every field of the body, however deep, and every hostile value: the body with that value in the field's place.
 */
export function* hostileVariants(valid: unknown): Generator<Body> {
  for (const path of pathsIn(valid)) {
    const marked = JSON.stringify(replaceAt(valid, path, MARK))
    for (const value of HOSTILE_VALUES) {
      yield {
        name: `${path.join('.')} = ${value.slice(0, 60)}`,
        text: marked.replace(`"${MARK}"`, () => value),
      }
    }
  }
}

const MARK = '@hostile@'

function pathsIn(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [
    [name],
    ...pathsIn(member).map(path => [name, ...path]),
  ])
}

function replaceAt(value: unknown, [name, ...rest]: string[], replacement: string): unknown {
  if (name === undefined) return replacement
  const members = Object.entries(value ?? {}).map(([key, member]) => [
    key,
    key === name ? replaceAt(member, rest, replacement) : member,
  ])
  return Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members)
}

/** What is wrong with a response; null if nothing is. Another deployment receives only the code of an error. */
export function faultOf(
  { status, text }: { status: number; text: string },
  audience: 'public' | 'deployment' = 'public',
): string | null {
  if (status >= 500) return `${status} ${text}`
  if (status < 400) return null
  const error = errorIn(text)
  const shaped =
    typeof error?.code === 'string' &&
    (audience === 'deployment' ||
      (typeof error.message === 'string' &&
        typeof error.type === 'string' &&
        (error.param === null || typeof error.param === 'string')))
  return shaped ? null : `${status} without an error object`
}

function errorIn(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text).error
  } catch {
    return null
  }
}
