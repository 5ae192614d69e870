import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { anyCharacter } from '@/test/support/any-character'
import { estimateTokens } from './estimate-tokens'
import { measurePrompt, type PromptMeasure } from './measure-prompt'
import {
  estimatePromptTokens,
  probablePromptTokenCountMax,
  promptTokenCountMax,
  tokensPerImage,
  tokensPerImageMax,
} from './prompt-tokens'

const user = (content: unknown) => ({ messages: [{ role: 'user', content }] })
const MODEL = 'vendor/model'
const boundOf = (body: unknown, contextLength: number | null = null) =>
  boundIn(measurePrompt(body), contextLength)
const boundIn = (measure: PromptMeasure, contextLength: number | null = null) =>
  promptTokenCountMax(measure, contextLength, tokensPerImageMax(MODEL))
const countTokens = async (texts: Iterable<string>) =>
  [...texts].reduce((sum, text) => sum + estimateTokens(text), 0)
const estimateIn = (measure: PromptMeasure) =>
  estimatePromptTokens(measure, countTokens, tokensPerImage(MODEL))
const estimateOf = (body: unknown) => estimateIn(measurePrompt(body))

describe('the highest token count of a prompt', () => {
  test('includes room for a host’s own prefix, and for each message, picture and tool', () => {
    const bare = boundOf(user('Hi'))
    expect(bare).toBeGreaterThan(64)
    const picture = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
    expect(boundOf(user([picture, picture])) - boundOf(user([picture]))).toBeGreaterThanOrEqual(16_384)
    expect(boundOf({ ...user('Hi'), tools: [{}] }) - bare).toBeGreaterThan(600)
    // OpenAI's earlier name, which hosts read as tools.
    expect(boundOf({ ...user('Hi'), functions: [{}] }) - bare).toBeGreaterThan(600)
    const message = { role: 'user', content: '' }
    expect(boundOf({ messages: [message, message] }) - boundOf({ messages: [message] })).toBeGreaterThan(16)
  })

  test('is the whole context window if the length is unknown', () => {
    const file = { file_data: `data:application/pdf;base64,${'A'.repeat(1_400_000)}` }
    const body = user([{ type: 'file', file }])
    expect(boundOf(body, 64_000)).toBe(64_000)
    expect(boundOf(body)).toBe(200_000)
    expect(boundOf({ ...body, tools: [{ description: 'x'.repeat(300_000) }] })).toBeGreaterThan(300_000)
  })

  test('is for the normalised text that a tokenizer reads, not for the text sent', () => {
    const text = '\ufdfa'.repeat(1_000)
    const readByteCount = Buffer.byteLength(text.normalize('NFKC'))
    expect(boundOf(user(text))).toBeGreaterThanOrEqual(readByteCount)
    expect(boundOf({ ...user('Hi'), tools: [{ description: text }] })).toBeGreaterThanOrEqual(readByteCount)
  })

  test('never exceeds the context window', () => {
    expect(boundOf(user('x'.repeat(10_000)), 4_000)).toBe(4_000)
  })

  test('knows the models that count many tokens per picture', () => {
    expect(tokensPerImageMax('openai/gpt-4o-mini-2024-07-18')).toBe(50_000)
    for (const id of ['gpt-6-astra', 'openai/gpt-6.2-sol', 'openai-gpt-6-astra'])
      expect(tokensPerImageMax(id)).toBeGreaterThan(Math.ceil(6_000 / 32) ** 2 * 1.2)
    for (const id of ['openai/gpt-4o', 'openai/gpt-5.6-sol', 'gpt-image-2', 'openai/gpt-oss-120b'])
      expect(tokensPerImageMax(id)).toBe(16_384)
    expect(tokensPerImage('openai/gpt-4o-mini-2024-07-18')).toBe(25_600)
  })

  test('leaves sound out, which is counted separately', () => {
    const body = user([{ type: 'input_audio', input_audio: { data: 'A'.repeat(40), format: 'flac' } }])
    expect(boundOf(body, 128_000)).toBeLessThan(2_000)
  })
})

describe('the estimate of a prompt', () => {
  const asking = (part: unknown) => estimateOf(user([part]))

  test('counts a file by its size, and never as zero', async () => {
    expect(await asking({ type: 'file', file: { file_data: 'https://example.com/a.pdf' } })).toBe(1_004)
    expect(await asking({ type: 'file', file: null })).toBe(1_004)
    expect(await asking({ type: 'file', file: { file_data: 'A'.repeat(400_000) } })).toBe(10_004)
    expect(await asking({ type: 'input_file', file_data: 'A'.repeat(400_000) })).toBe(10_004)
    expect(await asking({ type: 'input_audio', input_audio: { data: 'A'.repeat(25_000) } })).toBe(104)
    expect(await asking({ type: 'input_audio', input_audio: { data: '' } })).toBe(36)
    expect(await asking({ type: 'image_url', image_url: { url: 'A' } })).toBe(804)
  })

  test('counts tools and other fields outside of messages', async () => {
    const spoken = await estimateOf(user('Hi'))
    const tools = [{ type: 'function', function: { name: 'x'.repeat(8_000) } }]
    expect((await estimateOf({ ...user('Hi'), tools })) - spoken).toBeGreaterThan(1_500)
    const call = { role: 'assistant', tool_calls: [{ function: { arguments: 'x'.repeat(8_000) } }] }
    expect((await estimateOf({ messages: [...user('Hi').messages, call] })) - spoken).toBeGreaterThan(1_500)
  })

  test('never exceeds the bound, with or without its margin', async () => {
    const body = fc.record({
      messages: fc.array(
        fc.record({ role: fc.constant('user'), content: fc.string({ unit: anyCharacter }) }),
      ),
      tools: fc.jsonValue(),
    })
    await fc.assert(
      fc.asyncProperty(body, async some => {
        const measure = measurePrompt(some)
        const [estimate, bound] = [await estimateIn(measure), boundIn(measure)]
        const probable = probablePromptTokenCountMax(measure, { estimate, bound })
        return estimate <= bound && probable <= bound && probable >= Math.min(estimate, bound)
      }),
    )
  })

  test('is far below the bound for a Chinese prompt, which leaves a small balance for the answer', async () => {
    const text = '请告诉我如何用三种不同的方法解决这个问题。'.repeat(50)
    const measure = measurePrompt(user(text))
    const estimate = await estimateIn(measure)
    const bound = boundIn(measure)
    expect(probablePromptTokenCountMax(measure, { estimate, bound })).toBeLessThan(bound * 0.6)
  })

  test.each([
    // Counted with the tokenizers themselves: o200k_base, and the one that makes the most tokens of it.
    ['English', 'x'.repeat(19_633), 4_781, 5_400],
    ['German', `${'x'.repeat(646)}${'ä'.repeat(19)}`, 139, 211],
    ['JSON', 'x'.repeat(9_518), 3_339, 4_708],
    ['Hindi', `${'x'.repeat(136)}${'न'.repeat(500)}`, 180, 707],
    ['Tamil', `${'x'.repeat(35)}${'ந'.repeat(245)}`, 85, 525],
    ['Greek', `${'x'.repeat(53)}${'α'.repeat(239)}`, 95, 319],
    ['Chinese', '字'.repeat(242), 184, 285],
    ['Japanese', 'あ'.repeat(225), 164, 259],
    ['Korean', `${'x'.repeat(62)}${'한'.repeat(169)}`, 132, 277],
    ['Thai', `${'x'.repeat(8)}${'ก'.repeat(274)}`, 121, 501],
    ['emoji', '🪙'.repeat(300), 529, 1_148],
  ])('has a margin that is enough for %s in the common tokenizers', (_, text, estimate, most) => {
    const measure = measurePrompt(user(text))
    const bound = boundIn(measure)
    expect(probablePromptTokenCountMax(measure, { estimate, bound })).toBeGreaterThanOrEqual(most)
  })
})
