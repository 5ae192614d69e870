import 'server-only'
import { NO_USAGE } from '@/lib/catalogue/domain/cost'
import type { TokenUsage } from '@/lib/catalogue/domain/model'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { nanoToUsdNumber } from '@/lib/money/nano'
import { UpstreamFailure } from '@/lib/upstream/ask-upstreams'
import { upstreamDialect } from '@/lib/upstream/dialect'
import { parseJsonObject } from '@/lib/upstream/read-answer'
import { inBandStatus, refusalOf } from '@/lib/upstream/read-refusal'
import type { Charge, Counted } from '../../domain/decide-charge'
import type { Evidence, OpenedAnswer, Settlement, StreamReader } from '../../engine/kind'
import { isBeyondPossible, readCost, readUsage, shownDetails } from '../usage'
import type { Delivered } from './delivered'
import { type ChatPlan, type ChatTerms, costOfAnswer, inputTokenCountMax, searchUnits, stepsOf } from './plan'
import { ChatStream, type ChunkHead } from './stream'

/** How one answer is read and counted. */
export class ChatAnswer {
  readonly #plan: ChatPlan
  readonly #terms: ChatTerms
  readonly #estimated: () => Promise<number>
  /** Prices that depend on the time of day are those of the request. */
  readonly #askedAt = new Date()

  constructor(input: { plan: ChatPlan; terms: ChatTerms; estimated: () => Promise<number> }) {
    this.#plan = input.plan
    this.#terms = input.terms
    this.#estimated = input.estimated
  }

  open(
    response: { headers: Record<string, string | string[] | undefined> },
    upstream: UpstreamSettings,
    streamed: boolean,
  ): OpenedAnswer {
    const isJson = /^application\/json/i.test(String(response.headers['content-type'] ?? ''))
    if (streamed && !isJson) {
      const headers = { 'content-type': 'text/event-stream; charset=utf-8' }
      return { form: 'stream', headers, reader: this.#streamReader(upstream) }
    }
    return {
      form: 'whole',
      read: bytes => {
        const body = parseJsonObject(bytes.toString('utf8'))
        if (body?.error != null) throw refusalOf(inBandStatus(body.error), body.error, upstream)
        if (!body || streamed || !Array.isArray(body.choices)) {
          const message = 'The upstream answered with something else than an answer.'
          throw new UpstreamFailure('refused', message, { mayBill: true })
        }
        return this.#whole(body)
      },
    }
  }

  /** Once the upstream has read it, the prompt is to be paid. */
  async asked(): Promise<Counted> {
    return this.#countedOf({ ...NO_USAGE, inputTokenCount: await this.#estimated() }, null)
  }

  #streamReader(upstream: UpstreamSettings): StreamReader {
    const stream = new ChatStream()
    const plan = this.#plan
    const { tellsCost: keepsRecords } = upstreamDialect(upstream.baseUrl)
    const canReason = plan.models.some(model => model.canReason)
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
      get hasOutput() {
        return stream.delivered.hasOutput
      },
      isCountable(leftUnseen) {
        if (plan.isFree || stream.usageReports.length > 0) return true
        if (keepsRecords && stream.head?.id) return true
        const { hasOutput, hasThoughts } = stream.delivered
        // Thoughts that are not shown are billed like any others, and told at the end alone.
        const mayHaveHidden = plan.thinks || (canReason && leftUnseen)
        return hasOutput && (hasThoughts || !mayHaveHidden)
      },
      evidence: () => this.#evidence(stream.usageReports, stream.delivered, stream.head),
      lastWords: ({ end, charge, settlement, exchangeId }) => {
        const usage = this.#usageEvent({ charge, settlement, exchangeId, stream })
        return Buffer.concat([usage, end.error ? encodeEvent(end.error.toBody()) : DONE_EVENT])
      },
    }
  }

  #whole(body: Record<string, unknown>) {
    const { usage: report, ...answer } = body
    const stream = new ChatStream()
    stream.takeChoices(body.choices)
    const head: ChunkHead = {
      id: typeof body.id === 'string' ? body.id : '',
      model: typeof body.model === 'string' ? body.model : '',
      created: 0,
    }
    return {
      evidence: () => this.#evidence([report], stream.delivered, head),
      write: ({ charge, settlement }: { charge: Charge; settlement: Settlement }) => ({
        contentType: 'application/json',
        body: Buffer.from(JSON.stringify({ ...answer, usage: chargedUsage(charge, settlement, report) })),
      }),
    }
  }

  #evidence(reports: readonly unknown[], delivered: Delivered, head: ChunkHead | null): Evidence {
    const { hasOutput } = delivered
    const modelName = head?.model ?? null
    const possible = this.#possible(hasOutput)
    const usage = lastOf(reports, report => readUsage(report, possible))
    return {
      hasOutput,
      told: lastOf(reports, readCost),
      counted: usage && this.#countedOf(usage, modelName),
      isBeyondPossible: reports.some(report => isBeyondPossible(report, possible)),
      own: async () => this.#countedOf(await this.#ownUsage(delivered), modelName),
      generationId: head?.id || null,
    }
  }

  async #ownUsage(delivered: Delivered): Promise<TokenUsage> {
    const { imageCount, audioTokenCountMax: audioInputTokenCount } = this.#plan
    const [inputTokenCount, counts] = await Promise.all([this.#estimated(), delivered.count()])
    return {
      ...NO_USAGE,
      ...counts,
      inputTokenCount,
      imageCount,
      audioInputTokenCount: Math.min(audioInputTokenCount, inputTokenCount),
      webSearchCount: searchUnits(this.#terms.search),
    }
  }

  /** What was sent and asked for makes no more than this possible. */
  #possible(hasOutput: boolean) {
    const { plan, search } = { plan: this.#plan, search: this.#terms.search }
    return {
      hasOutput,
      inputTokenCountMax: inputTokenCountMax(plan.promptTokenCountMax, search),
      outputTokenCountMax: this.#terms.outputTokenCountMax * plan.choiceCount * stepsOf(search),
      imageCount: plan.imageCount,
      webSearchCountMax: searchUnits(search),
      resultsPerSearch: search?.resultCount ?? 0,
    }
  }

  #countedOf(usage: TokenUsage, modelName: string | null): Counted {
    const { inputTokenCount, cachedInputTokenCount, outputTokenCount, reasoningTokenCount } = usage
    return {
      costNano: costOfAnswer(this.#plan, modelName, usage, this.#askedAt),
      counts: { inputTokenCount, cachedInputTokenCount, outputTokenCount, reasoningTokenCount },
    }
  }

  /** Tells what was charged, in OpenAI's shape of a last chunk: no choices, only usage. */
  #usageEvent(input: {
    charge: Charge
    settlement: Settlement
    exchangeId: string
    stream: ChatStream
  }): Buffer {
    const { charge, settlement, exchangeId, stream } = input
    const { head } = stream
    return encodeEvent({
      id: head?.id || exchangeId,
      object: 'chat.completion.chunk',
      created: head?.created ?? 0,
      model: head?.model || this.#plan.models[0].id,
      choices: [],
      usage: chargedUsage(charge, settlement, stream.usageReports.at(-1)),
    })
  }
}

const DONE_EVENT = Buffer.from('data: [DONE]\n\n')

/** The upstream's counts, or ours, with what this site charged for them in place of what it paid. */
function chargedUsage(charge: Charge, settlement: Settlement, report: unknown): Record<string, unknown> {
  const { inputTokenCount, outputTokenCount } = charge.counts
  return {
    ...(charge.estimated ? {} : shownDetails(report)),
    prompt_tokens: inputTokenCount,
    completion_tokens: outputTokenCount,
    total_tokens: inputTokenCount + outputTokenCount,
    cost: nanoToUsdNumber(settlement.chargedNano),
    ...(settlement.balanceNano === null ? {} : { balance_usd: nanoToUsdNumber(settlement.balanceNano) }),
    ...(charge.estimated ? { estimated: true } : {}),
  }
}

function encodeEvent(data: unknown): Buffer {
  return Buffer.from(`data: ${JSON.stringify(data)}\n\n`)
}

function lastOf<Value>(reports: readonly unknown[], read: (report: unknown) => Value | null): Value | null {
  for (let index = reports.length - 1; index >= 0; index -= 1) {
    const value = read(reports[index])
    if (value !== null) return value
  }
  return null
}
