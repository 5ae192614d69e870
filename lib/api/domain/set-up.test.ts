import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { KEY_PLACEHOLDER, MODEL_PLACEHOLDER, SET_UPS, setUpText } from './set-up'

const SITE = 'https://shop.example'
const INPUT = { site: SITE, secret: 'sk-abc', modelId: 'vendor/model:free', contextLength: null }

test.each(SET_UPS)('$name has the URL, the key and the model', ({ id, text }) => {
  const told = text(INPUT)
  expect(told).toContain(SITE)
  expect(told).toContain('sk-abc')
  if (id !== 'open-webui') expect(told).toContain('vendor/model:free')
  expect(text({ ...INPUT, secret: KEY_PLACEHOLDER })).not.toContain('sk-abc')
})

test.each([
  ['codex', '\nmodel_context_window = 32000\n'],
  ['claude-code', '\nexport CLAUDE_CODE_MAX_CONTEXT_TOKENS=32000\n'],
  ['zed', '"max_tokens": 32000 '],
])('%s, which takes unknown models to read much more, is told how much this one reads', (tool, line) => {
  const text = SET_UPS.find(({ id }) => id === tool)?.text
  expect(text?.({ ...INPUT, contextLength: 32_000 })).toContain(line)
})

test('a model name cannot run anything in a shell', () => {
  const command = SET_UPS.find(({ id }) => id === 'claude-code')?.text
  const modelId = fc.string({ unit: 'grapheme-ascii', minLength: 1 }).filter(text => !text.includes('\0'))
  const nasty = fc.constantFrom("x';id;'", '$(id)', '`id`', 'a"b', 'a b', '\\', '!!', '&id')
  fc.assert(
    fc.property(fc.oneof(nasty, modelId), name => {
      const commands = command?.({ ...INPUT, modelId: name }).replace(/claude$/, '')
      const printed = execFileSync('sh', ['-c', `${commands}\nprintf %s "$ANTHROPIC_MODEL"`])
      expect(printed.toString()).toBe(name)
    }),
    { numRuns: 40 },
  )
})

test('the body sent by curl is JSON', () => {
  const curl = SET_UPS.find(({ id }) => id === 'curl')?.text({ ...INPUT, modelId: 'a"b' }) ?? ''
  const body = execFileSync('sh', ['-c', curl.replace(/^curl .*\\\n/, 'printf "%s\\n" ')]).toString()
  expect(JSON.parse(body.trim().split('\n').at(-1) ?? '')).toMatchObject({
    model: 'a"b',
    messages: [{ role: 'user' }],
  })
})

test('docs/tools.md has the same list', () => {
  const input = {
    site: SITE,
    secret: KEY_PLACEHOLDER,
    modelId: MODEL_PLACEHOLDER,
    contextLength: null,
  }
  expect(readFileSync('docs/tools.md', 'utf8')).toContain(setUpText(input))
})
