import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { NO_TOKENS } from '@/lib/catalogue/domain/cost'
import { formatDecimal } from '@/lib/money/decimal'
import { believeCost, believeTokenCounts } from './believe-usage'

const evidence = { hasOutput: true, inputTokenCountMax: 1_000, outputTokenCountMax: 1_000 }
const counts = { prompt_tokens: 10, completion_tokens: 5 }

describe('an upstream’s token counts', () => {
  test.each([
    ['absent', undefined],
    ['null', null],
    ['a text', 'ten'],
    ['a list', [10, 5]],
    ['empty', {}],
    ['half of them', { prompt_tokens: 10 }],
    ['zero although something was delivered', { prompt_tokens: 0, completion_tokens: 0 }],
    ['no output although something was delivered', { ...counts, completion_tokens: 0 }],
    ['negative', { ...counts, completion_tokens: -5 }],
    ['fractional', { ...counts, prompt_tokens: 1.5 }],
    ['not a number', { ...counts, prompt_tokens: Number.NaN }],
    ['endless', { ...counts, prompt_tokens: Number.POSITIVE_INFINITY }],
    ['texts', { prompt_tokens: '10', completion_tokens: '5' }],
    ['more than the model takes', { ...counts, prompt_tokens: 1_001 }],
    ['more than the model makes', { ...counts, completion_tokens: 1e15 }],
  ])('are not believed when they are %s', (_case, report) => {
    expect(believeTokenCounts(report, evidence)).toBeNull()
  })

  test('may be zero output when nothing was delivered', () => {
    const report = { ...counts, completion_tokens: 0 }
    expect(believeTokenCounts(report, { ...evidence, hasOutput: false })).toMatchObject({
      outputTokenCount: 0,
    })
  })

  test('tell what was cached and what was reasoning, as far as that is possible', () => {
    const report = {
      ...counts,
      prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 3, audio_tokens: -1, image_tokens: 1 },
      completion_tokens_details: { reasoning_tokens: 6, audio_tokens: 2, image_tokens: null },
    }
    expect(believeTokenCounts(report, evidence)).toEqual({
      ...NO_TOKENS,
      inputTokenCount: 10,
      cachedInputTokenCount: 4,
      cacheWriteInputTokenCount: 3,
      imageInputTokenCount: 1,
      outputTokenCount: 5,
      audioOutputTokenCount: 2,
    })
  })

  test('never come out negative, fractional or beyond their bounds, whatever arrives', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (prompt, completion) => {
        const believed = believeTokenCounts(
          { prompt_tokens: prompt, completion_tokens: completion },
          evidence,
        )
        for (const count of Object.values(believed ?? {})) {
          expect(Number.isSafeInteger(count) && count >= 0 && count <= 1_000).toBe(true)
        }
      }),
    )
  })
})

describe('an upstream’s own cost', () => {
  test.each([
    undefined,
    null,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -1,
    -0.5,
    '-1',
    '',
    'free',
    {},
    [1],
    true,
    '1e309',
  ])('is not believed when it is %p', cost => {
    expect(believeCost({ cost }, { isFree: true })).toBeNull()
  })

  test('of zero is believed of a free model only', () => {
    expect(believeCost({ cost: 0 }, { isFree: false })).toBeNull()
    expect(believeCost({ cost: '0' }, { isFree: true })).not.toBeNull()
  })

  test.each([
    [0.00042, '0.00042'],
    ['0.00042', '0.00042'],
    [1e-7, '0.0000001'],
  ])('%p is taken exactly', (cost, exact) => {
    const believed = believeCost({ cost }, { isFree: false })
    expect(believed && formatDecimal(believed)).toBe(exact)
  })
})
