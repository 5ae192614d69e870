import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { parseCsv, writeCsv } from './csv'
import type { PromptFields } from './prompt'
import { readPromptFile, toOpenWebUi, toPromptsChat } from './prompt-files'

const words = fc
  .array(fc.constantFrom('a', 'B', '"', ',', '\n', '\r\n', ' ', '{{x}}', '=1+1', 'ü', '🦊', '\\', '\uFEFF'), {
    minLength: 1,
    maxLength: 20,
  })
  .map(parts => parts.join(''))
const visible = words.filter(text => text.trim() !== '')
const prompt: fc.Arbitrary<PromptFields> = fc.record(
  {
    name: visible.map(text => text.trim()),
    content: visible,
    model: fc.constantFrom('vendor/model', 'm:free'),
    temperature: fc.constantFrom(0, 0.7, 2),
    max_tokens: fc.integer({ min: 16, max: 1_000_000 }),
    reasoning_effort: fc.constantFrom('low', 'max'),
  },
  { requiredKeys: ['name', 'content'] },
)
const prompts = fc.array(prompt, { maxLength: 6 })

describe('comma-separated values', () => {
  test('are read back as written, with any content', () => {
    const rows = fc.array(fc.array(fc.oneof(words, fc.constant('')), { minLength: 1, maxLength: 4 }))
    fc.assert(fc.property(rows, written => expect(parseCsv(writeCsv(written))).toEqual(written)))
  })

  test.each<[string, string[][]]>([
    [
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n1,\r\n',
      [
        ['a', 'b'],
        ['1', ''],
      ],
    ],
    ['a,', [['a', '']]],
    ['"x""y" z,2\r3', [['x"y', '2'], ['3']]],
    ['a "b" c,"never closed\n', [['a "b" c', 'never closed\n']]],
    ['', []],
  ])('%j', (text, rows) => expect(parseCsv(text)).toEqual(rows))
})

describe('a file of prompts', () => {
  test('from prompts.chat keeps every name and text', () => {
    fc.assert(
      fc.property(prompts, written => {
        const plain = written.map(({ name, content }) => ({ name, content }))
        expect(readPromptFile(toPromptsChat(written))).toEqual({ prompts: plain, skippedCount: 0 })
      }),
    )
  })

  test('from Open WebUI keeps model and parameters, under unique commands', () => {
    fc.assert(
      fc.property(prompts, written => {
        const text = toOpenWebUi(written)
        expect(readPromptFile(text)).toEqual({ prompts: written, skippedCount: 0 })
        const commands = JSON.parse(text).map(({ command }: { command: string }) => command)
        expect(new Set(commands).size).toBe(written.length)
        for (const command of commands) expect(command).toMatch(/^[a-z0-9-]+$/)
      }),
    )
  })

  test('can have columns in any order and empty rows', () => {
    const text = 'contributor,Prompt,act\r\nx,"Say ""hi""",Greeter\r\nx,,Empty\r\n\r\n'
    expect(readPromptFile(text)).toEqual({
      prompts: [{ name: 'Greeter', content: 'Say "hi"' }],
      skippedCount: 1,
    })
  })

  test('can come from any version of Open WebUI, or have one prompt', () => {
    const old = { command: '/sum', user_id: 'u', title: 'Sum up', content: 'Sum {{text}}', timestamp: 1 }
    const bare = { command: 'bare', content: 'x', data: { temperature: 9, model: 'm' } }
    const read = readPromptFile(JSON.stringify([old, bare, { title: 'no words' }, null]))
    expect(read).toEqual({
      prompts: [
        { name: 'Sum up', content: 'Sum {{text}}' },
        { name: 'bare', content: 'x', model: 'm' },
      ],
      skippedCount: 2,
    })
    expect(readPromptFile(JSON.stringify(old))?.prompts).toHaveLength(1)
  })

  test('is not any other text, which causes no error', () => {
    for (const text of ['', 'hello', '{}', '{"data":[]}', 'name,text\n1,2', '['])
      expect(readPromptFile(text)).toBeNull()
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), text => {
        const read = readPromptFile(text)
        for (const { name, content } of read?.prompts ?? []) expect([name, content]).not.toContain('')
        expect(read === null || read.skippedCount >= 0).toBe(true)
      }),
    )
  })
})
