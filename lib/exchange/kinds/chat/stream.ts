import 'server-only'
import { fieldsOf, isObject, listOf } from '@/lib/http/domain/is-object'
import { createEventCarry, eventData, nextBoundary } from '@/lib/upstream/event-stream'
import { parseJsonObject } from '@/lib/upstream/read-body'
import { errorIn, errorInChoices, hasFailed } from '@/lib/upstream/read-refusal'
import { dataEvent, type StreamForm } from './answer-form'
import { Delivered } from './delivered'
import { type EventTemplate, templateOf } from './event-template'

/** Usage is reported once, or with every chunk; the first and the last reports are kept. */
const USAGE_REPORT_COUNT_MAX = 4

/** How many templates in a row may fail to match before no more are made; some hosts' events differ each time. */
const TEMPLATE_COUNT_MAX = 4

/** The fields that all chunks of a stream share; our own last chunk repeats them. */
export interface ChunkHead {
  id: string
  model: string
  created: number
}

/**
 * Reads the events of a chat completion while they are relayed. Events are passed on as they came, or in the form of
 * another dialect. Those that report usage, an error or the end are held back: this site writes its own. The event that
 * finishes the answer may be held back for it: OpenAI's client for Go takes the finish reason of the last choice that
 * it sees, and others append one to the other, so there may be no choice after that one.
 */
export class ChatStream {
  readonly delivered = new Delivered()
  readonly #form: StreamForm | null
  readonly #keepsFinish: boolean
  /** The event that finished the last choice, without usage. */
  #finish: Record<string, unknown> | null = null
  /** `isRunning`: it came with output, as a host reports that counts in every event. */
  readonly #reports: { usage: unknown; choiceCount: number; isRunning: boolean }[] = []
  readonly #carry = createEventCarry()
  #ended: 'done' | 'failed' | null = null
  #error: unknown = null
  /** Choices that have begun, and whether they have a finish reason. */
  readonly #choices = new Map<unknown, boolean>()
  /** How many events held output of any choice. */
  #choiceCount = 0
  #head: ChunkHead | null = null
  #template: EventTemplate | null = null
  /** Templates made since one matched. */
  #templateCount = 0
  #servedTier: string | null = null
  #provider: string | null = null
  #promptReport: unknown = null
  #isUnread = false
  #isFlushed = false

  constructor(form: StreamForm | null = null, { keepsFinish = false } = {}) {
    this.#form = form
    this.#keepsFinish = keepsFinish
  }

  /** The event that finished the answer, if it was to be kept. Whoever takes it writes it. */
  takeFinish(): Record<string, unknown> | null {
    const finish = this.#finish
    this.#finish = null
    return finish
  }

  /** By `[DONE]`, by the last event of another dialect, or by an event that is an error. */
  get ended(): 'done' | 'failed' | null {
    return this.#ended
  }

  get error(): unknown {
    return this.#error
  }

  /** A choice has a finish reason, or usage was reported after all output. */
  get isComplete(): boolean {
    return [...this.#choices.values()].includes(true) || this.#latestReports.some(report => !report.isRunning)
  }

  /** Each choice has a finish reason, and the usage of all of it was reported. */
  get hasEverything(): boolean {
    return this.#isFinished && this.finalReports.length > 0
  }

  get usageReports(): readonly unknown[] {
    return this.#reports.map(({ usage }) => usage)
  }

  /** The reports about the whole answer: no output came after them, and none will. */
  get finalReports(): readonly unknown[] {
    return this.#isFinished || this.#ended !== null || (this.#isFlushed && this.delivered.hasOutput)
      ? this.#latestReports.map(({ usage }) => usage)
      : []
  }

  /** No output has come after them. */
  get #latestReports() {
    return this.#reports.filter(({ choiceCount }) => choiceCount === this.#choiceCount)
  }

  get #isFinished(): boolean {
    return this.#choices.size > 0 && [...this.#choices.values()].every(Boolean)
  }

  /** As the upstream reported it last. */
  get servedTier(): string | null {
    return this.#servedTier
  }

  /** The host behind a router, as that names it. */
  get provider(): string | null {
    return this.#provider
  }

  /** See `StreamForm`; null if there is none. */
  get promptReport(): unknown {
    return this.#promptReport
  }

  /** The last bytes that came could not be read. */
  get isUnread(): boolean {
    return this.#isUnread
  }

  get head(): ChunkHead | null {
    return this.#head
  }

  /** The bytes to pass on, or null if there are none yet. @throws EventTooLargeError */
  push(chunk: Buffer): Buffer | null {
    this.#isUnread = true
    const bytes = this.#carry.push(chunk)
    const relayed = bytes && this.#relay(bytes)
    this.#isUnread = false
    return relayed
  }

  /**
   * The rest at the end of the answer, from upstreams that leave out the last blank line. An event that was cut off in
   * its middle is not passed on: a client that parses each one would fail at it, and never see the error that follows.
   */
  flush(): Buffer | null {
    this.#isFlushed = true
    const rest = this.#carry.takeRest()
    return rest && isWhole(rest) ? this.#relay(Buffer.concat([rest, Buffer.from('\n\n')])) : null
  }

  /** Bytes that are passed on as they came are not copied. */
  #relay(bytes: Buffer): Buffer | null {
    const kept: Buffer[] = []
    let untouchedFrom = 0
    const keepUntil = (end: number) => {
      const isAll = untouchedFrom === 0 && end === bytes.length
      if (end > untouchedFrom) kept.push(isAll ? bytes : bytes.subarray(untouchedFrom, end))
    }
    for (let start = 0; start < bytes.length && this.#ended === null; ) {
      const repeatedEnd = this.#takeRepeated(bytes, start)
      const end = repeatedEnd ?? nextBoundary(bytes, start)
      if (repeatedEnd === null) {
        const event = bytes.subarray(start, end)
        const relayed = this.#relayEvent(event)
        if (relayed !== event) {
          keepUntil(start)
          if (relayed) kept.push(relayed)
          untouchedFrom = end
        }
      }
      start = end
    }
    if (this.#ended === null) keepUntil(bytes.length)
    if (kept.length < 2) return kept[0] ?? null
    return Buffer.concat(kept)
  }

  /** Where an event ends that fits the template; null for any other one. */
  #takeRepeated(bytes: Buffer, start: number): number | null {
    const repeated = this.#template?.match(bytes, start) ?? null
    // After a finish that is held back, text has to be relayed behind it, by `#relayEvent`.
    if (!this.#template || !repeated || this.#finish) return null
    this.#templateCount = 0
    if (this.delivered.addText(this.#template.field, repeated.text)) this.#choiceCount += 1
    return repeated.end
  }

  #relayEvent(event: Buffer): Buffer | null {
    const data = eventData(event).trim()
    // Comments are passed on, but not events without data, which some hosts send as a sign of life: no client could
    // parse them.
    if (data === '') return event.includes('data:') ? null : event
    if (data === '[DONE]') {
      this.#ended = 'done'
      return null
    }
    const parsed = parseJsonObject(data)
    if (!parsed) return this.#form ? null : event
    const { chunk, isLast, promptReport } = this.#form?.read?.(parsed) ?? { chunk: parsed, isLast: false }
    if (promptReport) this.#promptReport = promptReport
    // The first chunk may have no id yet.
    if (!this.#head?.id) this.#head = readChunkHead(chunk) ?? this.#head
    if (typeof chunk.service_tier === 'string') this.#servedTier = chunk.service_tier
    if (typeof chunk.provider === 'string') this.#provider = chunk.provider.slice(0, 256)
    const wasFinished = this.#isFinished
    const choiceCount = this.#choiceCount
    this.#takeChoices(chunk.choices)
    const usage = usageIn(chunk)
    const tellsUsage = usage !== undefined && usage !== null
    if (tellsUsage) this.#keepReport(usage, this.#choiceCount > choiceCount)
    // In every dialect, whatever its events look like. If a choice fails, others may still be written.
    const error =
      errorIn(chunk) ?? errorIn(parsed) ?? (this.#isFinished ? errorInChoices(chunk.choices) : null)
    if (error !== null) {
      this.#ended = 'failed'
      this.#error = error
      return null
    }
    if (isLast) this.#ended = 'done'
    if (this.#form) return this.#form.take(parsed, event)
    this.#learn(event, parsed)
    // OpenRouter's report has a choice that says nothing.
    if (tellsUsage && wasFinished && this.#choiceCount === choiceCount) return null
    const rest = tellsUsage ? withoutUsage(chunk) : chunk
    if (!rest) return null
    const before = this.takeFinish()
    if (this.#keepsFinish && this.#isFinished && finishes(rest)) {
      this.#finish = rest
      return before && dataEvent(before)
    }
    const relayed = tellsUsage ? dataEvent(rest) : event
    return before ? Buffer.concat([dataEvent(before), relayed]) : relayed
  }

  #learn(event: Buffer, parsed: Record<string, unknown>): void {
    const template = this.#templateCount < TEMPLATE_COUNT_MAX ? templateOf(event, parsed) : null
    if (!template) return
    this.#template = template
    this.#templateCount += 1
  }

  /** An answer in one piece. */
  takeWhole(body: Record<string, unknown>): void {
    this.#head = readChunkHead(body)
    if (typeof body.service_tier === 'string') this.#servedTier = body.service_tier
    this.#takeChoices(body.choices)
    if (isObject(body.usage)) this.#keepReport(body.usage, false)
    this.#ended = errorIn(body) === null ? 'done' : 'failed'
  }

  #takeChoices(choices: unknown): void {
    if (Array.isArray(choices)) for (const choice of choices) this.#take(choice)
  }

  #take(choice: unknown): void {
    if (!isObject(choice)) return
    const delta = choice.delta ?? choice.message
    const before = this.delivered.deltaCount
    if (isObject(delta)) this.delivered.add(delta)
    if (typeof choice.text === 'string') this.delivered.add({ text: choice.text })
    if (this.delivered.deltaCount > before) this.#choiceCount += 1
    const isFinished = choice.finish_reason != null || hasFailed(choice)
    this.#choices.set(choice.index ?? 0, isFinished || this.#choices.get(choice.index ?? 0) === true)
  }

  #keepReport(usage: unknown, isRunning: boolean): void {
    if (this.#reports.length === USAGE_REPORT_COUNT_MAX) this.#reports.splice(1, 1)
    this.#reports.push({ usage, choiceCount: this.#choiceCount, isRunning })
  }
}

function isWhole(event: Buffer): boolean {
  const data = eventData(event).trim()
  return data === '[DONE]' || parseJsonObject(data) !== null
}

/** Moonshot reports it in the last choice. */
function usageIn({ usage, choices }: Record<string, unknown>): unknown {
  return usage ?? (Array.isArray(choices) ? choices.find(isObject)?.usage : undefined)
}

/** The upstream's report is taken out: our own last chunk reports the usage, with the charge. */
function withoutUsage({ usage: _usage, ...rest }: Record<string, unknown>): Record<string, unknown> | null {
  if (!Array.isArray(rest.choices) || rest.choices.length === 0) return null
  const choices = rest.choices.map(choice => (isObject(choice) ? { ...choice, usage: undefined } : choice))
  return { ...rest, choices }
}

function finishes({ choices }: Record<string, unknown>): boolean {
  return listOf(choices).some(choice => Boolean(fieldsOf(choice).finish_reason))
}

function readChunkHead(chunk: Record<string, unknown>): ChunkHead | null {
  if (typeof chunk.id !== 'string' && !Array.isArray(chunk.choices)) return null
  return {
    id: typeof chunk.id === 'string' ? chunk.id.slice(0, 256) : '',
    model: typeof chunk.model === 'string' ? chunk.model.slice(0, 256) : '',
    created: typeof chunk.created === 'number' ? chunk.created : 0,
  }
}
