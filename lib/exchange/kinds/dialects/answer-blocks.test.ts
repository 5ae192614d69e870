import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type AnswerBlock, AnswerBlocks } from './answer-blocks'

/** What a listener heard, and that it heard of one block after the other. */
function blocksOf(deltas: readonly Record<string, unknown>[]) {
  const heard: string[] = []
  let open: number | null = null
  const blocks = new AnswerBlocks({
    opened(_block, index) {
      expect(open).toBeNull()
      expect(index).toBe(heard.length)
      open = index
      heard.push('')
    },
    grew(_block, index, piece) {
      expect(index).toBe(open)
      heard[index] += piece
    },
    closed(_block, index) {
      expect(index).toBe(open)
      open = null
    },
  })
  for (const delta of deltas) blocks.take([{ index: 0, delta }])
  blocks.end()
  expect(open).toBeNull()
  expect(heard).toEqual(blocks.blocks.map(({ text }) => text))
  return blocks.blocks
}

const call = (index: number, text: string, head: Record<string, unknown> = {}) => {
  const { name, ...rest } = head
  return {
    tool_calls: [{ index, ...rest, function: { ...(name !== undefined && { name }), arguments: text } }],
  }
}
const told = (blocks: readonly AnswerBlock[]) => blocks.map(({ kind, text }) => [kind, text])

describe('the blocks of an answer', () => {
  test('start a new block when the kind of content changes', () => {
    const blocks = blocksOf([
      { role: 'assistant', content: '' },
      { reasoning: 'Hm' },
      { reasoning: '.', content: null },
      { content: 'A' },
      { content: [{ type: 'text', text: 'B' }] },
      call(0, '{"a":', { id: 'x', name: 'add' }),
      call(0, '1}'),
      call(1, '{}', { id: 'y', name: 'sub' }),
      { content: 'C' },
      { refusal: 'No.' },
    ])
    expect(told(blocks)).toEqual([
      ['thought', 'Hm.'],
      ['text', 'AB'],
      ['call', '{"a":1}'],
      ['call', '{}'],
      ['text', 'C'],
      ['refusal', 'No.'],
    ])
    expect(blocks[2]).toMatchObject({ id: 'x', name: 'add' })
    expect(blocks[3]).toMatchObject({ id: 'y', name: 'sub' })
  })

  test('separate two tool calls that the upstream gives the same index', () => {
    const blocks = blocksOf([
      call(0, '{"a":1}', { id: 'x', name: 'f' }),
      call(0, '{"b":2}', { id: 'y', name: 'f' }),
    ])
    expect(told(blocks)).toEqual([
      ['call', '{"a":1}'],
      ['call', '{"b":2}'],
    ])
  })

  test('take reasoning once that is sent under two field names, and keep its signature', () => {
    const detail = (fields: object) => ({
      reasoning_details: [{ type: 'reasoning.text', index: 0, ...fields }],
    })
    const sealed = { type: 'reasoning.encrypted', data: 'x' }
    const blocks = blocksOf([
      { reasoning: 'Hm', ...detail({ text: 'Hm' }) },
      detail({ text: '', signature: 's' }),
      { reasoning_details: [sealed] },
    ])
    expect(blocks).toEqual([
      {
        kind: 'thought',
        text: 'Hm',
        thought: { type: 'reasoning.text', index: 0, text: '', signature: 's' },
      },
      { kind: 'sealed', text: '', thought: sealed },
    ])
  })

  test('hold the URL of a picture', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }
    expect(blocksOf([{ images: [image] }])).toEqual([
      { kind: 'image', text: '', url: 'data:image/png;base64,AA==' },
    ])
  })

  test('hold every byte of every tool call, however their pieces are interleaved', () => {
    const calls = fc.array(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), {
      minLength: 1,
      maxLength: 4,
    })
    fc.assert(
      fc.property(
        calls,
        fc.array(fc.nat(), { maxLength: 200 }),
        fc.array(fc.string(), { maxLength: 5 }),
        (inputs, order, words) => {
          const texts = inputs.map(input => JSON.stringify(input))
          const rest = texts.map(text => [...text])
          const deltas = texts.map((_, index) => call(index, '', { id: `id-${index}`, name: 'f' }))
          for (const pick of order) {
            const index = pick % texts.length
            const piece = rest[index]?.splice(0, 1 + (pick % 3)).join('') ?? ''
            deltas.push(call(index, piece))
            const word = words[pick % 7]
            if (word) deltas.push({ content: word } as never)
          }
          deltas.push(...rest.map((left, index) => call(index, left.join(''))))
          const blocks = blocksOf(deltas)
          expect(
            blocks
              .filter(({ kind }) => kind === 'call')
              .map(({ text }) => text)
              .sort(),
          ).toEqual([...texts].sort())
          const said = deltas.flatMap(delta => ('content' in delta ? [delta.content] : [])).join('')
          expect(
            blocks
              .filter(({ kind }) => kind === 'text')
              .map(({ text }) => text)
              .join(''),
          ).toBe(said)
        },
      ),
      { numRuns: 300 },
    )
  })
})
