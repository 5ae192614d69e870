import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { NO_USAGE } from '@/lib/catalogue/domain/cost'
import type { TokenUsage } from '@/lib/catalogue/domain/model'
import { countsOf } from '../domain/decide-charge'
import { TOKEN_COUNT_MAX } from './contract'
import {
  isBeyondPossible,
  type Possible,
  readUpstreamCount,
  readUsage,
  shownDetails,
  type TokenKind,
} from './usage'

const POSSIBLE: Possible = {
  inputCharacterCount: 0,
  outputCharacterCount: 0,
  hasOutput: true,
  inputTokenCountMax: 1_000,
  audioInputTokenCountMax: 0,
  mayCacheLong: false,
  outputTokenCountMax: 1_000,
  imageCount: 0,
  webSearchCountMax: 0,
  resultsPerSearch: 0,
  absentKinds: [],
}
const COUNTS = { prompt_tokens: 10, completion_tokens: 5 }

describe('an upstream’s token counts', () => {
  test.each([
    ['absent', undefined],
    ['null', null],
    ['a text', 'ten'],
    ['a list', [10, 5]],
    ['empty', {}],
    ['half of them', { prompt_tokens: 10 }],
    ['zero although something was delivered', { prompt_tokens: 0, completion_tokens: 0 }],
    ['no output although something was delivered', { ...COUNTS, completion_tokens: 0 }],
    ['no input although something was sent', { ...COUNTS, prompt_tokens: 0 }],
    ['negative', { ...COUNTS, completion_tokens: -5 }],
    ['one below zero', { ...COUNTS, completion_tokens: -1 }],
    ['one below zero of what was read', { ...COUNTS, prompt_tokens: -1 }],
    ['fractional', { ...COUNTS, prompt_tokens: 1.5 }],
    ['not a number', { ...COUNTS, prompt_tokens: Number.NaN }],
    ['endless', { ...COUNTS, prompt_tokens: Number.POSITIVE_INFINITY }],
    ['texts', { prompt_tokens: '10', completion_tokens: '5' }],
  ])('are not accepted when they are %s', (_case, report) => {
    expect(readUsage(report, POSSIBLE)).toBeNull()
  })

  test.each(['inputCharacterCount', 'outputCharacterCount'])(
    'are not accepted when no token can be so long: %s',
    text => {
      const report = { prompt_tokens: 10, completion_tokens: 10 }
      expect(readUsage(report, { ...POSSIBLE, [text]: 224 })).not.toBeNull()
      expect(readUsage(report, { ...POSSIBLE, [text]: 225 })).toBeNull()
    },
  )

  test('are accepted up to what was sent and requested', () => {
    const absurd = { prompt_tokens: 790_000, completion_tokens: 1e15 }
    expect(readUsage(absurd, POSSIBLE)).toEqual({
      ...NO_USAGE,
      inputTokenCount: 1_000,
      outputTokenCount: 1_000,
    })
  })

  test('may have zero output when nothing was delivered', () => {
    const report = { ...COUNTS, completion_tokens: 0 }
    expect(readUsage(report, { ...POSSIBLE, hasOutput: false })).toMatchObject({ outputTokenCount: 0 })
  })

  test('include cached, sound and reasoning tokens, limited to the totals', () => {
    const report = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 9, audio_tokens: 3 },
      completion_tokens_details: { reasoning_tokens: 6, audio_tokens: 2 },
    }
    expect(readUsage(report, POSSIBLE)).toEqual({
      ...NO_USAGE,
      inputTokenCount: 10,
      cachedInputTokenCount: 4,
      cacheWriteInputTokenCount: 6,
      audioInputTokenCount: 3,
      outputTokenCount: 5,
      reasoningTokenCount: 5,
      audioOutputTokenCount: 2,
    })
  })

  test('count a part that is below zero as none', () => {
    const report = {
      ...COUNTS,
      prompt_tokens_details: { cached_tokens: -9, cache_write_tokens: -9, audio_tokens: -9 },
      completion_tokens_details: { reasoning_tokens: -9, image_tokens: -9 },
      server_tool_use: { web_search_requests: -9 },
    }
    expect(readUsage(report, POSSIBLE)).toEqual({ ...NO_USAGE, inputTokenCount: 10, outputTokenCount: 5 })
  })

  test('are read by the names of Responses and Messages, too, and pictures are as many as were sent', () => {
    const report = {
      input_tokens: 10,
      output_tokens: 5,
      input_tokens_details: { cached_tokens: 2, image_tokens: 3 },
      output_tokens_details: { reasoning_tokens: 2, image_tokens: 1 },
      cache_creation_input_tokens: 4,
      cache_creation: { ephemeral_1h_input_tokens: 9 },
    }
    expect(readUsage(report, { ...POSSIBLE, imageCount: 2 })).toEqual({
      ...NO_USAGE,
      inputTokenCount: 10,
      cachedInputTokenCount: 2,
      cacheWriteInputTokenCount: 4,
      longCacheWriteInputTokenCount: 4,
      imageInputTokenCount: 3,
      outputTokenCount: 5,
      reasoningTokenCount: 2,
      imageOutputTokenCount: 1,
      imageCount: 2,
    })
  })

  test('are the whole if all of it was thought, or came from a cache', () => {
    const details = {
      completion_tokens_details: { reasoning_tokens: 5 },
      prompt_tokens_details: { cached_tokens: 10 },
    }
    expect(readUsage({ ...COUNTS, ...details }, POSSIBLE)).toMatchObject({
      inputTokenCount: 10,
      outputTokenCount: 5,
    })
  })

  test.each([
    ['a total that exceeds both counts', { total_tokens: 35 }, 25],
    ['more reasoning than output', { completion_tokens_details: { reasoning_tokens: 20 } }, 25],
    ['a total of both counts', { total_tokens: 15 }, 5],
    ['a total of less', { total_tokens: 3 }, 5],
    ['a total that is none', { total_tokens: '35' }, 5],
  ])('include reasoning that is not counted as output, by %s', (_case, told, outputTokenCount) => {
    expect(readUsage({ ...COUNTS, ...told }, POSSIBLE)).toMatchObject({ outputTokenCount })
  })

  const cachedBeside = (cached_tokens: number, written: number) => ({
    prompt_tokens_details: { cached_tokens, cache_write_tokens: written },
  })
  test.each([
    ['as the total shows', { total_tokens: 23, ...cachedBeside(8, 0) }, [18, 8, 0, 5]],
    ['as the total shows, with what was written', { total_tokens: 26, ...cachedBeside(8, 3) }, [21, 8, 3, 5]],
    [
      'as the total shows, of which what was written is input',
      { total_tokens: 23, ...cachedBeside(8, 3) },
      [18, 8, 3, 5],
    ],
    [
      'as the total shows, beside reasoning',
      { total_tokens: 30, ...cachedBeside(8, 0), completion_tokens_details: { reasoning_tokens: 7 } },
      [18, 8, 0, 12],
    ],
    ['if there is no total, and more of it than of the rest', cachedBeside(20, 0), [30, 20, 0, 5]],
    ['if there is no total, and together more of it than of the rest', cachedBeside(6, 5), [21, 6, 5, 5]],
  ])('include what came from a cache and is not counted as input, %s', (_case, told, expected) => {
    const usage = readUsage({ ...COUNTS, ...told }, POSSIBLE)
    const { inputTokenCount, cachedInputTokenCount, cacheWriteInputTokenCount, outputTokenCount } =
      usage ?? NO_USAGE
    const counts = [inputTokenCount, cachedInputTokenCount, cacheWriteInputTokenCount, outputTokenCount]
    expect(counts).toEqual(expected)
  })

  test.each(['cached_tokens', 'prompt_cache_hit_tokens', 'cache_read_input_tokens'])(
    'include what came from a cache if it is reported as %s beside the counts',
    name => {
      expect(readUsage({ ...COUNTS, [name]: 4 }, POSSIBLE)).toMatchObject({
        inputTokenCount: 10,
        cachedInputTokenCount: 4,
      })
    },
  )

  /** Small, so that different counts are often equal. */
  const few = fc.nat({ max: 6 })
  test('are the truth, whichever parts a host counts beside their whole, if its total shows it', () => {
    fc.assert(
      fc.property(
        fc.record({ plain: few, read: few, written: few, words: few, reasoning: few }),
        fc.record({ isCacheBeside: fc.boolean(), isReasoningBeside: fc.boolean() }),
        ({ plain, read, written, words, reasoning }, { isCacheBeside, isReasoningBeside }) => {
          const cached = read + written
          fc.pre(plain + cached > 0 && words + reasoning > 0)
          // A total cannot show which of two equal counts it includes.
          fc.pre(!isCacheBeside || isReasoningBeside || cached !== reasoning)
          const report = {
            prompt_tokens: plain + (isCacheBeside ? 0 : cached),
            completion_tokens: words + (isReasoningBeside ? 0 : reasoning),
            total_tokens: plain + cached + words + reasoning,
            completion_tokens_details: { reasoning_tokens: reasoning },
            ...cachedBeside(read, written),
          }
          expect(readUsage(report, POSSIBLE)).toEqual({
            ...NO_USAGE,
            inputTokenCount: plain + cached,
            cachedInputTokenCount: read,
            cacheWriteInputTokenCount: written,
            outputTokenCount: words + reasoning,
            reasoningTokenCount: reasoning,
          })
        },
      ),
      { numRuns: 1_000 },
    )
  })

  test('count searches by their results, or all allowed ones if none are reported', () => {
    const searching = { ...POSSIBLE, webSearchCountMax: 15, resultsPerSearch: 5 }
    const told = { ...COUNTS, server_tool_use: { web_search_requests: 2 } }
    expect(readUsage(told, searching)).toMatchObject({ webSearchCount: 10 })
    expect(readUsage(COUNTS, searching)).toMatchObject({ webSearchCount: 15 })
    const more = { ...COUNTS, server_tool_use: { web_search_requests: 4 } }
    expect(readUsage(more, searching)).toMatchObject({ webSearchCount: 15 })
    const details = { ...COUNTS, server_tool_use_details: { web_search_requests: 1 } }
    expect(readUsage(details, searching)).toMatchObject({ webSearchCount: 5 })
    expect(readUsage(told, POSSIBLE)).toMatchObject({ webSearchCount: 0 })
  })

  test('are never negative, fractional or beyond their bounds, whatever arrives', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (prompt, completion, details) => {
        const report = {
          prompt_tokens: prompt,
          completion_tokens: completion,
          prompt_tokens_details: details,
        }
        for (const count of Object.values(readUsage(report, POSSIBLE) ?? {})) {
          expect(Number.isSafeInteger(count) && count >= 0 && count <= 1_000).toBe(true)
        }
      }),
    )
  })
})

describe('a report of more than is possible', () => {
  const absentKinds: TokenKind[] = ['audioInputTokenCount', 'imageOutputTokenCount']
  const possible = { ...POSSIBLE, webSearchCountMax: 2, resultsPerSearch: 2, absentKinds }
  const searches = (web_search_requests: number) => ({ server_tool_use: { web_search_requests } })

  test.each<[string, object, boolean]>([
    ['all that is possible', { prompt_tokens: 1_000, completion_tokens: 1_000, ...searches(1) }, false],
    ['more input', { prompt_tokens: 1_001, completion_tokens: 1 }, true],
    ['more output', { prompt_tokens: 1, completion_tokens: 1_001 }, true],
    ['more searches', { ...COUNTS, ...searches(2) }, true],
    ['sound that was not sent', { ...COUNTS, prompt_tokens_details: { audio_tokens: 1 } }, true],
    ['pictures that were not drawn', { ...COUNTS, completion_tokens_details: { image_tokens: 1 } }, true],
    ['none of either', { ...COUNTS, prompt_tokens_details: { audio_tokens: 0, image_tokens: 1 } }, false],
    ['nothing', {}, false],
  ])('is recognised: %s', (_, report, isBeyond) => {
    expect(isBeyondPossible(report, possible)).toBe(isBeyond)
  })

  test('is charged up to that, while all of it is billed', () => {
    const price = (usage: TokenUsage) => ({
      costNano: BigInt(usage.inputTokenCount + usage.outputTokenCount + 100 * usage.webSearchCount),
      counts: countsOf(usage),
    })
    const report = { prompt_tokens: 1_500, completion_tokens: 2_000, ...searches(3) }
    const count = readUpstreamCount(report, possible, price)
    expect(count).toMatchObject({ costNano: 2_200n, billedNano: 4_100n, counts: { outputTokenCount: 1_000 } })
    const absurd = { prompt_tokens: 10, completion_tokens: Number.MAX_SAFE_INTEGER, ...searches(0) }
    expect(readUpstreamCount(absurd, possible, price)).toMatchObject({
      costNano: 1_010n,
      billedNano: BigInt(TOKEN_COUNT_MAX) + 10n,
    })
  })

  test('is charged as what it can have been, while its own price is billed', () => {
    const price = (usage: TokenUsage) => ({
      costNano: BigInt(usage.inputTokenCount + 10 * usage.audioInputTokenCount),
      counts: countsOf(usage),
    })
    const report = { ...COUNTS, prompt_tokens_details: { audio_tokens: 4 } }
    expect(readUpstreamCount(report, POSSIBLE, price)).toMatchObject({ costNano: 50n, billedNano: 50n })
    expect(readUpstreamCount(report, possible, price)).toMatchObject({ costNano: 10n, billedNano: 50n })
  })
})

test('a client sees the counts of a report, and nothing of what the operator pays', () => {
  const report = {
    cost: 0.5,
    is_byok: true,
    cost_details: { upstream_inference_cost: 0.2 },
    prompt_tokens_details: { cached_tokens: 4, cost: 'secret' },
  }
  expect(shownDetails(report)).toEqual({ prompt_tokens_details: { cached_tokens: 4 } })
})
