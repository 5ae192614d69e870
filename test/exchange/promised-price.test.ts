import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { measurePrompt } from '@/lib/catalogue/domain/measure-prompt'
import {
  estimatePromptTokens,
  probablePromptTokenCountMax,
  promptTokenCountMax,
} from '@/lib/catalogue/domain/prompt-tokens'
import { countTokens } from '@/lib/catalogue/tokenizer/count-tokens'
import { mostOutgoing, outgoingContext } from '@/lib/exchange/client/outgoing'
import type { Message } from '@/lib/local/domain/conversation'

/** A sentence of each kind that people send; the last three are hard for tokenizers. */
const TEXTS = [
  'The coin lay on the table, and nobody had thought of picking it up again before the evening. ',
  'Die Kontoführungsgebühren werden halbjährlich abgebucht, worüber sich niemand ernsthaft wundert. ',
  'Le vieux meunier comptait ses pièces une à une, sans se presser, à la lueur de la chandelle. ',
  'function settle(hold: Hold): Nano { return hold.amount - hold.released /* nano-dollars */ }\n',
  '{"id": "a1b2c3", "rows": [{"x": 0.125, "y": -3.75}, {"x": 17.5, "y": 2048}], "ok": true}\n',
  '机の上に置かれた硬貨を、夕方まで誰も拾おうとはしませんでした。',
  'Монета лежала на столе, и до самого вечера никто не подумал её поднять. ',
]
const PRICES = { prompt: '0.000003', completion: '0.000015' }
const PROMPT_TOKEN_NANO = 3_000
const ANSWER_TOKEN_NANO = 15_000
const MODEL = {
  windowTokens: null,
  prices: PRICES,
  controls: { temperature: true, outputTokensMax: null, efforts: [] },
}
/** Some three hundred words. */
const ORDINARY_ANSWER_TOKEN_COUNT = 400
/** What a promise has to leave room for, beside the question by the server's own reckoning. */
const USEFUL_ANSWER_TOKEN_COUNT = 600

const conversations = fc.array(fc.tuple(fc.nat(TEXTS.length - 1), fc.integer({ min: 1, max: 60 })), {
  minLength: 1,
  maxLength: 9,
})

const toMessages = (parts: readonly (readonly [number, number])[]): Message[] =>
  parts.map(([text, times], index) => ({
    // The last one is the question.
    role: (parts.length - index) % 2 === 1 ? 'user' : 'assistant',
    content: (TEXTS[text] ?? '').repeat(times),
  }))

test('what the page promises leaves room for the question, as the server reckons it, and an answer', async () => {
  await fc.assert(
    fc.asyncProperty(conversations, async parts => {
      const context = outgoingContext(toMessages(parts), null, null, { maxContextTokens: 100_000 })
      const most = Number(mostOutgoing(MODEL, context, null))
      const measure = measurePrompt({ messages: context.messages })
      const estimate = await estimatePromptTokens(measure, countTokens)
      const bounds = { estimate, bound: promptTokenCountMax(measure, null) }
      const reckoned = probablePromptTokenCountMax(measure, bounds) * PROMPT_TOKEN_NANO
      expect(most).toBeGreaterThanOrEqual(reckoned + USEFUL_ANSWER_TOKEN_COUNT * ANSWER_TOKEN_NANO)
      const charge = estimate * PROMPT_TOKEN_NANO + ORDINARY_ANSWER_TOKEN_COUNT * ANSWER_TOKEN_NANO
      expect(most).toBeLessThanOrEqual(4 * charge)
    }),
  )
})
