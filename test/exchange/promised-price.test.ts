import 'fake-indexeddb/auto'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base'
import { parseModelList } from '@/components/chat/chat-model'
import { modelToBody } from '@/lib/api/contracts/models'
import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import { measurePrompt } from '@/lib/catalogue/domain/measure-prompt'
import type { Model } from '@/lib/catalogue/domain/model'
import { alwaysSearches } from '@/lib/catalogue/domain/model-kind'
import { ESTIMATE_FACTOR, estimatePromptTokens, tokensPerImage } from '@/lib/catalogue/domain/prompt-tokens'
import { someModel } from '@/lib/catalogue/domain/testing'
import { scriptTokenCount } from '@/lib/catalogue/domain/text-bytes'
import { FREE_PRICES } from '@/lib/catalogue/domain/usable-prices'
import { countTokens } from '@/lib/catalogue/tokenizer/count-tokens'
import { likelyAnswerTokenCount, mostOutgoing } from '@/lib/exchange/client/outgoing'
import { chatContext, chatRequest } from '@/lib/exchange/client/request-body'
import { decideCharge } from '@/lib/exchange/domain/decide-charge'
import { holdFor } from '@/lib/exchange/engine/begin'
import { chatKind } from '@/lib/exchange/kinds/chat/chat'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import { ReferenceLedger } from '@/lib/ledger/server/model/reference-ledger'
import { openDocumentTable } from '@/lib/local/documents/document-table'
import type { ContentPart, Conversation, Message } from '@/lib/local/domain/conversation'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { type Decimal, ZERO } from '@/lib/money/decimal'
import { minNano, type Nano } from '@/lib/money/nano'

/** A sentence of each kind that people send. */
const ORDINARY = {
  english: 'The coin lay on the table, and nobody had thought of picking it up again before the evening. ',
  german: 'Die Kontoführungsgebühren werden halbjährlich abgebucht, worüber sich niemand ernsthaft wundert. ',
  french: 'Le vieux meunier comptait ses pièces une à une, sans se presser, à la lueur de la chandelle. ',
  code: 'function settle(hold: Hold): Nano { return hold.amount - hold.released /* nano-dollars */ }\n',
  json: '{"id": "a1b2c3", "rows": [{"x": 0.125, "y": -3.75}, {"x": 17.5, "y": 2048}], "ok": true}\n',
  numbers: '2026-11-22  1,204.50  17  0.0031  88,412  3.14159  -42  6.02e23\n',
  chinese: '桌上放着一枚硬币,直到傍晚也没有人想到要把它捡起来。',
  japanese: '机の上に置かれた硬貨を、夕方まで誰も拾おうとはしませんでした。',
  chat: 'Haha, that is great 😂 see you at eight then 👍 and bring the kids! 🎉 ',
}
/** Languages that some tokenizers split almost into bytes. */
const OTHER = {
  russian: 'Монета лежала на столе, и до самого вечера никто не подумал её поднять. ',
  hindi: 'सिक्का मेज पर पड़ा था और शाम तक किसी ने उसे उठाने के बारे में नहीं सोचा। ',
  emoji: '😂👍🎉🚀🥳🤝🧾🪙',
}
const TEXTS: Readonly<Record<string, string>> = { ...ORDINARY, ...OTHER }
const PICTURE = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk'
const NOW = '2026-11-22T12:00:00.000Z'
const UPSTREAM = { id: 'upstream', baseUrl: 'https://host.example/v1', apiKey: null, setBy: 'test' }
/** The limit if none was sent. */
const TOLD_MAX = 16_384

beforeAll(async () => {
  // The same few sentences are counted thousands of times. The product sets it to 0 with its first count.
  await countTokens(['any'])
  setMergeCacheSize(100_000)
  const table = await openDocumentTable()
  for (const [name, text] of Object.entries(TEXTS)) {
    const facts = { media_type: 'text/plain', size: 1, page_count: null, is_cut: false }
    await table.save(
      { url: `document-store:${name}`, created_at: NOW, name, text: text.repeat(60), ...facts },
      new Uint8Array(1),
    )
  }
})

/** Dollars per million tokens. */
const perMillion = (dollars: number): Decimal => ({
  coefficient: BigInt(Math.round(dollars * 1000)),
  scale: 9,
})

interface Asked {
  readonly model: Model
  readonly conversation: Conversation
}

const part = (kinds: readonly string[]) =>
  fc.record({
    kind: fc.constantFrom(...kinds),
    times: fc.oneof(
      { weight: 6, arbitrary: fc.integer({ min: 1, max: 12 }) },
      fc.integer({ min: 1, max: 80 }),
    ),
    pictureCount: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 3 })),
    hasDocument: fc.oneof({ weight: 8, arbitrary: fc.constant(false) }, fc.boolean()),
    leftOut: fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, fc.constant(true)),
    answered: fc.option(fc.integer({ min: 1, max: 6_000 })),
  })

const MODEL_IDS = ['vendor/model', 'openai/gpt-4o-mini', 'vendor/model-thinking']

/** @param longFactors by how much long prompts may be dearer */
const modelsAt = (
  promptPrices: readonly number[],
  longFactors: readonly (number | null)[],
  ids: readonly string[],
): fc.Arbitrary<Model> =>
  fc
    .record({
      id: fc.constantFrom(...ids),
      promptUsd: fc.constantFrom(...promptPrices),
      timesUsd: fc.constantFrom(1, 2, 4, 5, 8),
      requestUsd: fc.constantFrom(0, 0, 0.005),
      imageUsd: fc.constantFrom(0, 0, 0.002),
      cacheWriteFactor: fc.option(fc.constantFrom(1, 1.25)),
      longFactor: fc.constantFrom(...longFactors),
      contextLength: fc.option(fc.constantFrom(8_000, 32_000, 200_000, 1_000_000)),
      outputTokenCountMax: fc.option(fc.constantFrom(2_048, 8_192, 64_000)),
      efforts: fc.constantFrom([], ['high', 'medium', 'low', 'minimal']),
    })
    .map(
      ({ id, promptUsd, timesUsd, requestUsd, imageUsd, cacheWriteFactor, longFactor, efforts, ...rest }) =>
        someModel({
          ...rest,
          id,
          // For this model a single picture is longer than other models' contexts.
          ...(id.includes('mini') && { contextLength: 128_000 }),
          inputModalities: ['text', 'image'],
          reasoning: efforts.length === 0 ? null : { mandatory: false, efforts },
          supportedParameters: [
            'temperature',
            'max_tokens',
            ...(efforts.length > 0 ? ['reasoning_effort'] : []),
          ],
          prices: {
            ...FREE_PRICES,
            prompt: perMillion(promptUsd),
            completion: perMillion(promptUsd * timesUsd),
            request: { coefficient: BigInt(requestUsd * 1000), scale: 3 },
            image: { coefficient: BigInt(imageUsd * 1000), scale: 3 },
            inputCacheWrite: cacheWriteFactor === null ? null : perMillion(promptUsd * cacheWriteFactor),
            webSearch: alwaysSearches(id) ? { coefficient: 1n, scale: 2 } : null,
            inputCacheRead: cacheWriteFactor === null ? null : perMillion(promptUsd * 0.1),
            // Not for models that search: their results would lift most questions above that threshold.
            overrides:
              longFactor === null || alwaysSearches(id)
                ? []
                : [
                    {
                      inputTokenCountAbove: 20_000,
                      window: null,
                      prices: { prompt: perMillion(promptUsd * longFactor) },
                    },
                  ],
          },
        }),
    )

/** @param promptPrices dollars per million tokens read */
const asking = (
  kinds: readonly string[],
  promptPrices: readonly number[],
  longFactors: readonly (number | null)[] = [null],
  ids: readonly string[] = MODEL_IDS,
): fc.Arbitrary<Asked> =>
  fc
    .record({
      model: modelsAt(promptPrices, longFactors, ids),
      parts: fc.array(part(kinds), { minLength: 1, maxLength: 9 }),
      effort: fc.constantFrom(undefined, 'high', 'low', 'minimal'),
      maxTokens: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, fc.constantFrom(300, 500)),
      systemPrompt: fc.option(fc.constantFrom(...kinds)),
    })
    .map(({ model, parts, effort, maxTokens, systemPrompt }) => ({
      model,
      conversation: {
        id: 'c',
        created_at: NOW,
        ...(effort && { reasoning_effort: effort }),
        ...(maxTokens !== undefined && { max_tokens: maxTokens }),
        ...(systemPrompt !== null && { system_prompt: TEXTS[systemPrompt] }),
        messages: [
          // The last one is the question.
          ...parts.map((one, index) => messageOf(one, (parts.length - index) % 2 === 1)),
          {
            role: 'assistant' as const,
            id: 'answer',
            content: '',
            model: model.id,
            takes_pictures: true,
            ...(model.contextLength !== null && { window_tokens: model.contextLength }),
            ...(maxTokens !== undefined && {
              max_tokens: Math.min(maxTokens, model.outputTokenCountMax ?? maxTokens),
            }),
            ...(effort && model.reasoning?.efforts.includes(effort) && { reasoning_effort: effort }),
          },
        ],
      },
    }))

type Said = typeof part extends (kinds: readonly string[]) => fc.Arbitrary<infer One> ? One : never

function messageOf({ kind, times, pictureCount, hasDocument, leftOut, answered }: Said, isQuestion: boolean) {
  const text = (TEXTS[kind] ?? '').repeat(times)
  const left_out = leftOut
  if (!isQuestion) {
    const counts = { cost_usd: '0', input_token_count: 1, estimated: false }
    const receipt = answered === null ? undefined : { ...counts, output_token_count: answered }
    return { role: 'assistant' as const, content: text, receipt, left_out } satisfies Message
  }
  const pictures = Array.from(
    { length: pictureCount },
    (): ContentPart => ({
      type: 'image_url',
      image_url: { url: PICTURE, created_at: NOW },
    }),
  )
  const document: ContentPart = {
    type: 'document_url',
    document_url: {
      url: `document-store:${kind}`,
      created_at: NOW,
      name: kind,
      token_count: estimateTokens((TEXTS[kind] ?? '').repeat(60)),
      script_token_count: scriptTokenCount((TEXTS[kind] ?? '').repeat(60)),
    },
  }
  const content: ContentPart[] = [{ type: 'text', text }, ...pictures, ...(hasDocument ? [document] : [])]
  return { role: 'user' as const, content, left_out } satisfies Message
}

/** The page promises a price, and the server holds for it, each with its own code. */
async function promiseAndHold({ model, conversation }: Asked) {
  guardedStorage.write('maxContext', '100000')
  const [listed] = parseModelList({ data: [JSON.parse(JSON.stringify(modelToBody(model)))] })
  if (!listed) throw new Error('a model that can be shown')
  const context = chatContext(conversation, 'answer')
  const most = mostOutgoing(listed, context, conversation)
  if (most === null) throw new Error('a promise')
  const body = Buffer.from(await chatRequest(conversation, 'answer'))
  const catalogue = {
    listModels: async () => [model],
    findModel: async () => model,
    secondsToMissingList: async () => null,
  }
  const kind = chatKind({ catalogue, upstreams: [UPSTREAM], priceMarkup: ZERO })
  const json = async () => JSON.parse(body.toString())
  const quote = await kind.quote({ body, json, contentType: null, keyRouting: null })
  const books = new ReferenceLedger([], 1n)
  books.accounts.push({ ...emptyAccount(), balanceNano: 1_000_000_000_000n })
  const ledger: Pick<Ledger, 'hold'> = {
    async hold({ amountNano, minimumNano, leastNano }) {
      const asked = { account: 0, viaKey: false, idempotencyKey: null, request: 0 }
      const placed = books.place({ ...asked, amountNano, minimumNano, leastNano })
      if (placed.outcome === 'held') return { ...placed, holdId: 'h', accountId: 'a', keyId: null }
      if (placed.outcome === 'insufficient_credit') return { ...placed, requiredNano: 0n }
      throw new Error(placed.outcome)
    },
  }
  const { requestHash, modelId, priceSnapshot } = quote
  const input = {
    credential: { kind: 'credit_id', secretHash: 's' },
    ttlSeconds: 60,
    idempotencyKeyHash: null,
    requestHash,
    exchange: { queryType: kind.queryType, querySource: 'web', modelId, priceSnapshot },
  } as const
  const { hold, callFor } = await holdFor({ ledger }, quote, most, input)
  if (hold.outcome !== 'held') throw new Error('a hold')
  const call = callFor(hold.amountNano)
  const asked = JSON.parse(String((await call.requestTo(UPSTREAM)).body)) as { max_tokens?: number }
  const read = await estimatePromptTokens(measurePrompt(await json()), countTokens, tokensPerImage(model.id))
  const likely = likelyAnswerTokenCount(listed.controls, context, conversation)
  const answerTokensMax = asked.max_tokens ?? Number.POSITIVE_INFINITY
  return { most, heldNano: hold.amountNano, call, answerTokensMax, read, likely }
}

function emptyAccount() {
  const key = { limitNano: 0n, usageNano: 0n, heldNano: 0n }
  return {
    balanceNano: 0n,
    heldNano: 0n,
    debtNano: 0n,
    mergedNano: 0n,
    group: 0,
    riskNano: 0n,
    lostNano: 0n,
    chargedNano: 0n,
    key,
  }
}

/** What the server charges for an answer whose host reports these counts. */
async function costOf({ call }: Awaited<ReturnType<typeof promiseAndHold>>, told: object): Promise<Nano> {
  const response = new IncomingMessage(new Socket())
  response.headers = { 'content-type': 'text/event-stream' }
  const opened = call.open(response, UPSTREAM)
  if (opened.form !== 'stream') throw new Error('a stream')
  const delta = { choices: [{ index: 0, delta: { content: 'Well.' }, finish_reason: 'stop' }] }
  for (const event of [delta, { choices: [], usage: told }])
    opened.reader.push(Buffer.from(`data: ${JSON.stringify({ id: 'g', ...event })}\n\n`))
  opened.reader.push(Buffer.from('data: [DONE]\n\n'))
  const { hasOutput, upstreamCount, localCount } = opened.reader.evidence('completed')
  const facts = {
    end: 'completed' as const,
    hasOutput,
    isRefused: false,
    isFree: false,
    reportedCost: null,
    priceMarkup: ZERO,
  }
  return decideCharge({ ...facts, upstreamCount, localCount: upstreamCount ?? (await localCount()) }).costNano
}

test('no exchange costs more than the price shown before it, whatever its host reports, and the price leaves room for an answer', async () => {
  await fc.assert(
    fc.asyncProperty(
      asking(Object.keys(TEXTS), [0.02, 0.15, 0.8, 3, 15, 75], [null, 2], [...MODEL_IDS, 'vendor/sonar']),
      fc.double({ min: 0.5, max: ESTIMATE_FACTOR, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(10_000_000),
      async (asked, readFactor, share, nonsense) => {
        const promised = await promiseAndHold(asked)
        const { most, heldNano, read, likely, answerTokensMax } = promised
        expect(heldNano).toBeLessThanOrEqual(most)
        // For some languages our quick count is a quarter below the server's, and for some texts slightly more. If
        // reading costs as much as writing, a long question takes that from a short answer.
        expect(answerTokensMax + 0.05 * read).toBeGreaterThanOrEqual(0.9 * likely)
        const counts = {
          prompt_tokens: Math.ceil(
            Math.min(read * readFactor, asked.model.contextLength ?? read * readFactor),
          ),
          completion_tokens: 1 + Math.floor((Math.min(answerTokensMax, TOLD_MAX) - 1) * share),
        }
        // The operator does not lose anything with a host that counts like any other tokenizer, either.
        expect(await costOf(promised, counts)).toBeLessThanOrEqual(heldNano)
        const told = { prompt_tokens: nonsense, completion_tokens: nonsense }
        const charged = minNano(await costOf(promised, told), heldNano)
        expect(charged).toBeLessThanOrEqual(most)
      },
    ),
    { numRuns: 200 },
  )
})

test('the shown price of ordinary text is at most three times the cost of an answer of likely length', async () => {
  await fc.assert(
    fc.asyncProperty(asking(Object.keys(ORDINARY), [0.02, 0.15, 0.8, 3]), async asked => {
      const promised = await promiseAndHold(asked)
      const { most, read, likely } = promised
      const cost = await costOf(promised, {
        prompt_tokens: Math.min(read, asked.model.contextLength ?? read),
        completion_tokens: likely,
      })
      expect(Number(most)).toBeLessThanOrEqual(3 * Number(cost))
    }),
    { numRuns: 300 },
  )
})

test.each([
  ['russian', 3],
  ['hindi', 4.5],
  ['emoji', 3],
])('the shown price of a long question in %s is at most %s times its cost', async (kind, times) => {
  const model = someModel({
    contextLength: null,
    prices: { ...FREE_PRICES, prompt: perMillion(1), completion: perMillion(2) },
  })
  const messages: Message[] = [
    { role: 'user', content: (TEXTS[kind] ?? '').repeat(200) },
    { role: 'assistant', id: 'answer', content: '', model: model.id },
  ]
  const promised = await promiseAndHold({ model, conversation: { id: 'c', created_at: NOW, messages } })
  const counts = { prompt_tokens: promised.read, completion_tokens: promised.likely }
  expect(Number(promised.most) / Number(await costOf(promised, counts))).toBeLessThan(times)
})

test('an expensive model with a long context is offered at its highest possible price instead of being refused', async () => {
  const model = someModel({
    contextLength: 1_000_000,
    prices: { ...FREE_PRICES, prompt: perMillion(75), completion: perMillion(300) },
  })
  const messages: Message[] = [
    { role: 'user', content: ORDINARY.english.repeat(1_000) },
    { role: 'assistant', id: 'answer', content: '', model: model.id, window_tokens: 1_000_000 },
  ]
  const { most, heldNano } = await promiseAndHold({
    model,
    conversation: { id: 'c', created_at: NOW, messages },
  })
  expect(heldNano).toBe(most)
})
