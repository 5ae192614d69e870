import 'server-only'
import { readCost } from '@/lib/catalogue/domain/billed-cost'
import { NO_USAGE } from '@/lib/catalogue/domain/cost'
import type { TokenUsage } from '@/lib/catalogue/domain/model'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { ApiError } from '@/lib/http/api-error'
import { encodeJson } from '@/lib/http/json-scan'
import type { Nano } from '@/lib/money/nano'
import { UpstreamFailure } from '@/lib/upstream/ask-upstreams'
import { parseJsonObject } from '@/lib/upstream/read-body'
import { errorIn, errorInChoices, inBandRefusal } from '@/lib/upstream/read-refusal'
import { type UpstreamDialect, upstreamDialect, writesOn } from '@/lib/upstream/upstream-dialect'
import { type Charge, type CostFacts, type Counted, countsOf } from '../../domain/decide-charge'
import {
  type Evidence,
  failureOf,
  type OpenedAnswer,
  type Settlement,
  type StreamReader,
} from '../../engine/kind'
import { isBeyondPossible, type Possible, readUpstreamCount, readUsage } from '../usage'
import { type AnsweredBy, costOfAnswer, otherPrices } from './answer-cost'
import { type AskedForm, type ChargedUsage, chargedUsage, DONE_EVENT, dataEvent } from './answer-form'
import { Delivered } from './delivered'
import { billableNano, boundOf, type ChatPlan, type ChatTerms, searchesFor } from './plan'
import { possibleUsage } from './possible-usage'
import { ChatStream } from './stream'

/** What is kept of a prompt while it is answered. */
export interface PromptCounts {
  /** Counts the tokens by our tokenizer, once and only when needed. */
  estimated: () => Promise<number>
  /** A quick estimate of the same. */
  promptTokenCount: () => number
  /** Of the texts. */
  characterCount: number
}

/** Reads one answer, and counts what it cost. */
export class ChatAnswer {
  readonly #plan: ChatPlan
  readonly #terms: ChatTerms
  readonly #prompt: PromptCounts
  /** From a header that some upstreams send before the answer. */
  #generationId: string | null = null
  /** The answer came in another dialect, whose id is not the one that records are kept under. */
  #hasDialectId = false
  /** Of the host that answers. */
  #dialect: UpstreamDialect | null = null
  /** For prices that depend on the time of day. */
  readonly #askedAt = new Date()

  constructor(plan: ChatPlan, terms: ChatTerms, prompt: PromptCounts) {
    this.#plan = plan
    this.#terms = terms
    this.#prompt = prompt
  }

  open(
    response: { headers: Record<string, string | string[] | undefined> },
    upstream: UpstreamSettings,
    asked: AskedForm,
  ): OpenedAnswer {
    const { streamed, form } = asked
    const generationId = response.headers['x-generation-id']
    this.#generationId = typeof generationId === 'string' ? generationId.slice(0, 256) : null
    this.#hasDialectId = form?.read !== undefined
    this.#dialect = upstreamDialect(upstream.baseUrl)
    const isJson = /^application\/json/i.test(String(response.headers['content-type'] ?? ''))
    if (streamed && !isJson) return this.#stream(asked)
    return {
      form: 'whole',
      read: bytes => {
        const text = bytes.toString('utf8')
        const answer = parseJsonObject(text)
        const body = answer && form?.read ? form.read(answer) : answer
        const evidence = (told: object) => this.#whole({ ...body, ...told }, () => ({})).evidence()
        const failed = errorInChoices(body?.choices)
        // Beside what was written, that is passed on.
        const error = errorIn(body) ?? errorIn(answer) ?? (failed && !evidence({}).hasOutput ? failed : null)
        if (error !== null) throw failureOf(inBandRefusal(error, upstream), evidence({ error }))
        const hasChoices = Array.isArray(body?.choices)
        if (!answer || !body || streamed || !hasChoices) {
          const message = 'The upstream sent something that is not a chat answer.'
          const mayBillAll = hasChoices || (!answer && BEGINS_LIKE_ANSWER.test(text))
          const failure = new UpstreamFailure('refused', message, { mayBill: true, mayBillAll })
          throw failureOf(failure, evidence({}))
        }
        return this.#whole(
          body,
          usage => form?.whole(answer, usage) ?? { ...REQUIRED_OF_ANSWERS, ...answer, usage },
        )
      },
    }
  }

  /** See `UpstreamCall`. */
  unanswered(asked: AskedForm) {
    return asked.streamed ? this.#stream(asked) : null
  }

  /** The prompt that the upstream has read is owed. It may also bill for reasoning that nobody saw. */
  async costWithoutAnswer(): Promise<Counted> {
    const prompt = this.#ownCountOf({ ...NO_USAGE, inputTokenCount: await this.#prompt.estimated() }, NOBODY)
    return this.#plan.thinks ? { ...prompt, billedNano: this.#boundNano() } : prompt
  }

  #stream(asked: AskedForm) {
    const headers = { 'content-type': 'text/event-stream; charset=utf-8' }
    return { form: 'stream' as const, headers, reader: this.#streamReader(asked) }
  }

  #streamReader(asked: AskedForm): StreamReader {
    const form = asked.form?.stream(this.#prompt.promptTokenCount) ?? null
    const stream = new ChatStream(form, { keepsFinish: !asked.hasUsageChunk })
    const plan = this.#plan
    const isRecorded = () => this.#dialect?.reportsCost && stream.head?.id && this.#recordName(stream.head)
    return {
      push: chunk => stream.push(chunk),
      flush: () => stream.flush(),
      get ended() {
        return stream.ended
      },
      get error() {
        return stream.error
      },
      isComplete: () => stream.isComplete,
      hasEverything: () => stream.hasEverything,
      isCountable: () => {
        if (plan.isFree || stream.finalReports.length > 0) return true
        if (this.#isWrittenOn(stream)) return false
        if (isRecorded()) return true
        // Hidden reasoning is billed like any other output, and reported only at the end, as is what a cache took.
        const isTold = !plan.mayCache || this.#toldPrompt(stream.promptReport) !== null
        return stream.delivered.hasOutput && isTold && !plan.mayThink && !plan.hasUntold
      },
      get answerId() {
        return stream.head?.id ?? null
      },
      evidence: end => this.#evidence(end, stream),
      lastWords: ({ end, charge, settlement, exchangeId }) => {
        if (form)
          return form.end({ end, usage: chargedUsage(charge, settlement, stream.usageReports.at(-1)) })
        const usage = this.#usageEvent({ charge, settlement, exchangeId }, stream, asked)
        return Buffer.concat([usage, end.error ? dataEvent(end.error.toBody()) : DONE_EVENT])
      },
    }
  }

  #whole(body: Record<string, unknown>, tell: (usage: ChargedUsage) => Record<string, unknown>) {
    const stream = new ChatStream()
    stream.takeWhole(body)
    return {
      evidence: () => this.#evidence(errorIn(body) === null ? 'completed' : 'failed', stream),
      write: async ({ charge, settlement }: { charge: Charge; settlement: Settlement }) => {
        const shown = tell(chargedUsage(charge, settlement, body.usage))
        return { contentType: 'application/json', body: await encodeAnswer(shown) }
      },
    }
  }

  #evidence(end: CostFacts['end'], stream: ChatStream): Evidence {
    const { delivered, finalReports, usageReports, promptReport, head, servedTier, ended, isUnread } = stream
    const { hasOutput } = delivered
    const by = { model: head?.model ?? null, serviceTier: servedTier }
    const possible = this.#possible(delivered)
    const report = finalReports.findLast(each => readUsage(each, possible) !== null)
    return {
      hasOutput,
      reportedCost: lastOf(finalReports, readCost),
      upstreamCount: readUpstreamCount(report, possible, usage => this.#countedOf(usage, by)),
      isBeyondPossible: finalReports.some(each => isBeyondPossible(each, possible)),
      localCount: async () => {
        const told = this.#toldPrompt(promptReport)
        const usage = await this.#ownUsage(delivered, told)
        const own = told ? this.#countedOf(usage, by) : this.#ownCountOf(usage, by)
        const running = lastOf(usageReports, each => readUsage(each, possible))
        const reported = running && this.#countedOf(running, by)
        const known = reported && reported.costNano > own.costNano ? reported : own
        // A host that tells of its own failure has stopped.
        const isCut = end !== 'completed' && ended === null && this.#isWrittenOn(stream)
        const mayBillMore = isUnread || isCut || this.#mayBillMore(end)
        return mayBillMore ? { ...known, billedNano: this.#boundNano() } : known
      },
      generationId: this.#recordName(head),
      answerId: head?.id,
    }
  }

  /** Responses do not name the host behind a router; the makers of such models are their only hosts, or nearly so. */
  #isWrittenOn({ provider, head }: ChatStream): boolean {
    if (!this.#dialect?.routes) return this.#dialect?.writesOn === true
    return writesOn(provider ?? head?.model ?? '')
  }

  #recordName(head: ChatStream['head']): string | null {
    return this.#generationId || (this.#hasDialectId ? null : head?.id) || null
  }

  /** Without its final report, an answer may have cost more than can be counted here. */
  #mayBillMore(end: CostFacts['end']): boolean {
    const { thinks, mayThink, hasFiles, hasUntold } = this.#plan
    // With each result the model reads everything again.
    if (this.#terms.search !== null) return true
    return end === 'completed' ? thinks || hasFiles : mayThink || hasUntold
  }

  #boundNano(): Nano {
    return boundOf(this.#plan, this.#terms)
  }

  /** Null if the upstream did not tell before it wrote what it had read: some begin with zeros. */
  #toldPrompt(promptReport: unknown): TokenUsage | null {
    return readUsage(promptReport, this.#possible())
  }

  /** What was read is known where it was told; what was written is counted here. */
  async #ownUsage(delivered: Delivered, told: TokenUsage | null): Promise<TokenUsage> {
    const { imageCount, audioTokenCountMax: audioInputTokenCount } = this.#plan
    const counts = await delivered.count()
    const webSearchCount = searchesFor(this.#plan, this.#terms.search, delivered.pageCount)
    if (told) return { ...told, ...counts, webSearchCount }
    // However much was sent, no model reads more than fits into its context.
    const inputTokenCount = Math.min(await this.#prompt.estimated(), this.#possible().inputTokenCountMax)
    const sound = { audioInputTokenCount: Math.min(audioInputTokenCount, inputTokenCount) }
    return { ...NO_USAGE, ...counts, inputTokenCount, imageCount, ...sound, webSearchCount }
  }

  #possible(delivered = new Delivered()): Possible {
    const promptCharacterCount = this.#prompt.characterCount
    return possibleUsage(this.#plan, this.#terms, { promptCharacterCount, delivered })
  }

  /** What was read from a cache, or written to one, is known to the upstream alone. Writing is dearer. */
  #ownCountOf(usage: TokenUsage, by: AnsweredBy): Counted {
    const counted = this.#countedOf(usage, by)
    if (!this.#plan.mayCache) return counted
    const cacheWriteInputTokenCount = usage.inputTokenCount
    const longCacheWriteInputTokenCount = this.#plan.mayCacheLong ? usage.inputTokenCount : 0
    const written = { ...usage, cacheWriteInputTokenCount, longCacheWriteInputTokenCount }
    return { ...counted, billedNano: this.#countedOf(written, by).billedNano }
  }

  #countedOf(usage: TokenUsage, by: AnsweredBy): Counted {
    const costNano = costOfAnswer(this.#plan, by, usage, this.#askedAt)
    const billedNano = billableNano(this.#plan, costNano)
    const pricedAs = otherPrices(this.#plan, by)
    return { costNano, billedNano, counts: countsOf(usage), ...(pricedAs && { pricedAs }) }
  }

  /** The last chunk: the one that finishes the answer, unless only usage was asked for, with the charge. */
  #usageEvent(
    { charge, settlement, exchangeId }: { charge: Charge; settlement: Settlement; exchangeId: string },
    stream: ChatStream,
    { hasUsageChunk }: AskedForm,
  ): Buffer {
    const { head, usageReports } = stream
    const usage = chargedUsage(charge, settlement, usageReports.at(-1))
    const finish = stream.takeFinish()
    if (finish) return dataEvent({ ...finish, usage })
    return dataEvent({
      id: head?.id || exchangeId,
      object: 'chat.completion.chunk',
      created: head?.created ?? 0,
      model: head?.model || this.#plan.models[0].id,
      choices: hasUsageChunk ? [] : [EMPTY_CHOICE],
      usage,
    })
  }
}

/** JSON or events, however damaged, were written by a model. A page comes from a proxy in between. */
const BEGINS_LIKE_ANSWER = /^\s*(\{|data:|event:|:)/

/** OpenRouter's SDKs, and LangChain's client for it, refuse a whole answer without it; few other hosts tell it. */
const REQUIRED_OF_ANSWERS = { system_fingerprint: null }

/** Nobody has answered yet. */
const NOBODY: AnsweredBy = { model: null, serviceTier: null }

/** For clients that read `choices[0].delta.content` of every chunk, and would fail at one without choices. */
const EMPTY_CHOICE = { index: 0, delta: { content: '' }, finish_reason: null }

/** @throws ApiError if the answer can be parsed but not written: JSON nested beyond the stack */
async function encodeAnswer(answer: Record<string, unknown>): Promise<Buffer> {
  try {
    return await encodeJson(answer)
  } catch (cause) {
    const message = 'The model answered with JSON that is nested too deeply to be passed on.'
    throw new ApiError('unprocessable', message, { cause })
  }
}

function lastOf<Value>(reports: readonly unknown[], read: (report: unknown) => Value | null): Value | null {
  for (let index = reports.length - 1; index >= 0; index -= 1) {
    const value = read(reports[index])
    if (value !== null) return value
  }
  return null
}
