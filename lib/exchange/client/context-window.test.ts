import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { ContentPart, Message } from '@/lib/local/domain/conversation'
import { chooseContext } from './context-window'
import { estimateMessage, mostOfMessage, type PriceTexts } from './estimate-message'
import { countMessageTokens } from './message-tokens'

const message = fc.record({
  role: fc.constantFrom<Message['role'][]>('user', 'assistant', 'system'),
  content: fc.string({ maxLength: 200 }),
}) satisfies fc.Arbitrary<Message>

const question = { role: 'user', content: 'x'.repeat(4000) } satisfies Message
const last: Message = { role: 'user', content: 'and now?' }

const UNLIMITED = { maxContextTokens: Number.POSITIVE_INFINITY, windowTokens: null, instructions: null }
const bounded = (maxContextTokens: number, windowTokens: number | null = null) => ({
  maxContextTokens,
  windowTokens,
  instructions: null,
})

function countAll(messages: readonly Message[]): number {
  return messages.reduce((sum, one) => sum + countMessageTokens(one), 0)
}

describe('the context window', () => {
  test('an empty conversation sends nothing', () => {
    expect(chooseContext([], bounded(2048)).messages).toEqual([])
  })

  test('the last question and answer are sent, however small the memory is', () => {
    const answer: Message = { role: 'assistant', content: 'long '.repeat(2000) }
    const messages = [question, answer, last]
    expect(chooseContext(messages, bounded(256))).toMatchObject({
      messages,
      startIndex: 0,
      earlierCount: 2,
    })
  })

  test('questions since the last answer are sent, and failed answers are not', () => {
    const first: Message = { role: 'user', content: 'Do it' }
    const failed: Message = { role: 'assistant', content: '', status: 'failed' }
    const again: Message = { role: 'user', content: 'Do it now' }
    const answer: Message = { role: 'assistant', content: 'Done.' }
    const messages = [question, answer, first, failed, again, last]
    expect(chooseContext(messages, bounded(0)).messages).toEqual([question, answer, first, again, last])
  })

  test('older messages are left out, each answer together with its question', () => {
    const short: Message = { role: 'assistant', content: 'short' }
    const previous: Message[] = [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
    ]
    const messages = [question, short, ...previous, last]
    expect(chooseContext(messages, bounded(100))).toMatchObject({
      messages: [...previous, last],
      startIndex: 2,
      earlierCount: 2,
      earlierCounts: [0, 2, 4],
    })
  })

  test('instructions stay when old questions are left out', () => {
    const instructions: Message = { role: 'system', content: 'Be brief.' }
    const answer: Message = { role: 'assistant', content: 'Yes.' }
    const messages = [instructions, question, answer, last, answer, last]
    expect(chooseContext(messages, bounded(100)).messages).toEqual([instructions, last, answer, last])
  })

  test('instructions come first, and count towards the context window', () => {
    const instructions = 'Be brief. '.repeat(40)
    const first: Message = { role: 'system', content: instructions }
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 12 }),
        fc.integer({ min: 0, max: 400 }),
        fc.option(fc.integer({ min: 1, max: 2000 })),
        (messages, limitTokens, windowTokens) => {
          const all = [...messages, last]
          const { messages: sent } = chooseContext(all, {
            ...bounded(limitTokens, windowTokens),
            instructions,
          })
          expect(sent[0]).toEqual(first)
          // What is left is chosen as if the window were smaller by what they take.
          const taken = countMessageTokens(first)
          const windowLeft = windowTokens && (windowTokens * 3) / 4 - taken
          const isBeside = sent.length === 2 || windowLeft === null || countAll(sent) - taken <= windowLeft
          expect(isBeside).toBe(true)
        },
      ),
    )
  })

  test('a document counts with the tokens that it adds, a generated picture with none', () => {
    const paper: ContentPart = {
      type: 'document_url',
      document_url: { url: 'u', created_at: '', token_count: 900 },
    }
    const drawing: ContentPart = { type: 'image_url', image_url: { url: 'u', created_at: '' } }
    const older: Message[] = [
      { role: 'user', content: [paper] },
      { role: 'assistant', content: [{ type: 'text', text: 'Here' }, drawing] },
    ]
    const { olderTokenCount } = chooseContext(
      [...older, last, { role: 'assistant', content: 'a' }, last],
      UNLIMITED,
    )
    expect(olderTokenCount).toBe(904 + countMessageTokens({ role: 'assistant', content: 'Here' }))
  })

  test('a message larger than the context window is cut in the middle, with a note', () => {
    const answer: Message = { role: 'assistant', content: `First. ${'word '.repeat(3000)}Last.` }
    const { messages } = chooseContext([last, answer, last], bounded(2048, 1000))
    expect(messages).toHaveLength(3)
    expect(messages[1]?.content).toMatch(/^First\. .*The middle of this message is not included.*Last\.$/s)
    expect(countAll(messages)).toBeLessThanOrEqual(750)
  })

  test('an attachment that does not fit is replaced by its name', () => {
    const content: ContentPart[] = [
      { type: 'text', text: 'Compare these' },
      { type: 'document_url', document_url: { url: 'u', created_at: '', name: 'a.pdf', token_count: 9000 } },
      { type: 'image_url', image_url: { url: 'u', created_at: '' } },
    ]
    const answer: Message = { role: 'assistant', content: 'Compared.' }
    const { messages } = chooseContext([{ role: 'user', content }, answer, last], bounded(2048, 1000))
    expect(messages[0]?.content).toEqual([
      { type: 'text', text: 'Compare these' },
      { type: 'text', text: '[Document "a.pdf" is not included]' },
      { type: 'text', text: '[A picture is not included]' },
    ])
  })

  test('a question that fills the context window is sent whole and alone', () => {
    const small: Message[] = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
    ]
    expect(chooseContext([...small, ...small, question], bounded(2048, 10))).toMatchObject({
      messages: [question],
      startIndex: 4,
    })
  })

  const conversation = fc.array(message, { maxLength: 12 }).map(messages => [...messages, last])
  const limit = fc.integer({ min: 0, max: 500 })

  test('in any conversation the order and the question are kept, and older messages stay within the limit', () => {
    fc.assert(
      fc.property(conversation, limit, (all, limitTokens) => {
        const { messages: kept, startIndex } = chooseContext(all, bounded(limitTokens))
        expect(kept.at(-1)).toBe(last)
        expect(all.filter(one => kept.includes(one))).toEqual(kept)
        expect(kept.find(({ role }) => role !== 'system')?.role).toBe('user')
        const withoutMemory = chooseContext(all, bounded(0)).messages
        expect(withoutMemory.every(one => kept.includes(one))).toBe(true)
        expect(countAll(kept) - countAll(withoutMemory)).toBeLessThanOrEqual(limitTokens)
        // Above the line nothing but instructions goes along, below it everything that was said.
        expect(all.slice(0, startIndex).filter(one => one.role !== 'system' && kept.includes(one))).toEqual(
          [],
        )
        const below = all
          .slice(startIndex)
          .filter(one => one.role === 'user' || (one.role === 'assistant' && one.content))
        expect(below.every(one => kept.includes(one))).toBe(true)
      }),
    )
  })

  test('in any conversation the last answer is sent together with its question', () => {
    fc.assert(
      fc.property(conversation, limit, (all, limitTokens) => {
        const { messages: kept } = chooseContext(all, bounded(limitTokens))
        const answer = all.findLast(({ role, content }) => role === 'assistant' && content !== '')
        const asked = answer && all.slice(0, all.indexOf(answer)).findLast(({ role }) => role === 'user')
        if (asked) expect([kept.includes(answer), kept.includes(asked)]).toEqual([true, true])
      }),
    )
  })

  test('a memory as large as the older messages leaves nothing out', () => {
    fc.assert(
      fc.property(conversation, all => {
        const { olderTokenCount } = chooseContext(all, bounded(0))
        const { messages } = chooseContext(all, UNLIMITED)
        expect(chooseContext(all, bounded(olderTokenCount)).messages).toEqual(messages)
      }),
    )
  })

  test('only the question itself can exceed the context window', () => {
    fc.assert(
      fc.property(
        conversation,
        limit,
        fc.integer({ min: 1, max: 2000 }),
        (all, limitTokens, windowTokens) => {
          const { messages: kept } = chooseContext(all, bounded(limitTokens, windowTokens))
          expect(kept.at(-1)).toBe(last)
          expect(kept.length === 1 || countAll(kept) <= windowTokens).toBe(true)
        },
      ),
    )
  })
})

test('a number of messages chosen for the conversation replaces the memory limit', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), fc.nat(14), (before, earlierMessagesMax) => {
      const limits = { maxContextTokens: 0, windowTokens: null, instructions: null }
      const said = [...before, question]
      const all = chooseContext(said, { ...limits, maxContextTokens: Number.POSITIVE_INFINITY })
      const chosen = chooseContext(said, { ...limits, earlierMessagesMax })
      const spoken = (messages: readonly Message[]) => messages.filter(({ role }) => role !== 'system')
      const [kept, whole] = [spoken(chosen.messages), spoken(all.messages)]
      // The newest of them, but for an answer whose question stays behind.
      expect(whole.slice(whole.length - kept.length)).toEqual(kept)
      const dropped = Math.min(earlierMessagesMax + 1, whole.length) - kept.length
      const cut = whole.slice(whole.length - kept.length - dropped, whole.length - kept.length)
      expect(cut.every(({ role }) => role === 'assistant')).toBe(true)
      expect(chosen.earlierCounts).toEqual(all.earlierCounts)
    }),
  )
})

test('every number of messages that can be chosen is respected', () => {
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 12 }),
      fc.nat(400),
      fc.nat(14),
      (before, limitTokens, fromIndex) => {
        const summary = { message: question, fromIndex: Math.min(fromIndex, before.length) }
        const said = [...before, last]
        const { earlierCounts } = chooseContext(said, UNLIMITED)
        expect(earlierCounts).toEqual([...new Set(earlierCounts)].sort((left, right) => left - right))
        expect(earlierCounts).toHaveLength(before.filter(({ role }) => role === 'user').length + 1)
        for (const count of earlierCounts) {
          const chosen = chooseContext(said, { ...UNLIMITED, earlierMessagesMax: count })
          expect(chosen.earlierCount).toBe(count)
          expect(chosen.messages.filter(({ role }) => role !== 'system')).toHaveLength(count + 1)
        }
        for (const limits of [bounded(limitTokens), bounded(limitTokens, 200), { ...UNLIMITED, summary }]) {
          const { earlierCount, earlierCounts: counts } = chooseContext(said, limits)
          expect(counts).toContain(earlierCount)
        }
        const summarised = chooseContext(said, { ...UNLIMITED, summary })
        const spoken = summarised.messages.filter(({ role }) => role !== 'system')
        expect(summarised.earlierCount).toBe(spoken.length - 2)
        expect(summarised.earlierCounts.at(-1)).toBe(summarised.earlierCount)
      },
    ),
  )
})

describe('the estimate', () => {
  const pricedAt = (prices: PriceTexts) => ({ windowTokens: null, prices })

  test('is missing rather than zero if a price is not understood', () => {
    expect(estimateMessage(pricedAt({ prompt: 'free', completion: '0.1' }), [question])).toBeNull()
  })

  test('counts question, answer and the price per request', () => {
    const prices = { prompt: '0.000001', completion: '0.000002', request: '0.01' }
    expect(estimateMessage(pricedAt(prices), [question])).toBe(924_000n + 800_000n + 10_000_000n)
  })

  test('a longer conversation never costs less', () => {
    const prices = { prompt: '0.00000015', completion: '0.0000006' }
    fc.assert(
      fc.property(fc.array(message), message, (messages, more) => {
        const before = estimateMessage(pricedAt(prices), messages) ?? -1n
        const after = estimateMessage(pricedAt(prices), [...messages, more]) ?? -1n
        expect(after > before).toBe(true)
      }),
    )
  })

  test('counts a picture like its model does, and promises for the largest', () => {
    const picture = { type: 'image_url' as const, image_url: { url: 'image-store:1', created_at: '' } }
    const asked: Message[] = [{ role: 'user', content: [picture] }]
    const costOf = (id: string) => {
      const model = { ...pricedAt({ prompt: '0.000001', completion: '0' }), id }
      return [estimateMessage(model, asked), mostOfMessage(model, asked, 0)]
    }
    expect(costOf('openai/gpt-4o')).toEqual([804_000n, 1_648_000n])
    expect(costOf('openai/gpt-4o-mini-2024-07-18')).toEqual([25_604_000n, 50_008_000n])
  })

  test('promises enough for text that a tokenizer makes longer', () => {
    // One sign, three bytes; 33 in the form that some read.
    const asked: Message[] = [{ role: 'user', content: '\ufdfa'.repeat(100_000) }]
    const most = mostOfMessage(pricedAt({ prompt: '0.00001', completion: '0' }), asked, 0) ?? 0n
    expect(most).toBeGreaterThan(3_300_000n * 10_000n)
  })
})
