import 'server-only'
import { isObject } from '@/lib/http/domain/is-object'
import { createEventCarry, eventData, nextBoundary } from '@/lib/upstream/event-stream'
import { parseJsonObject } from '@/lib/upstream/read-answer'
import { Delivered } from './delivered'

/** Usage is told once, or runs along with every chunk; the first and the last reports are kept. */
const USAGE_REPORT_COUNT_MAX = 4

/** What the upstream's chunks call themselves; our last chunk must not stand out from them. */
export interface ChunkHead {
  id: string
  model: string
  created: number
}

/**
 * Looks through a chat completion's events while they pass, each once. Events are handed on as they came,
 * but for those that tell usage, an error or the end: these this site says itself.
 */
export class ChatStream {
  readonly delivered = new Delivered()
  readonly usageReports: unknown[] = []
  readonly #carry = createEventCarry()
  #ended: 'done' | 'failed' | null = null
  #error: unknown = null
  #finished = false
  #head: ChunkHead | null = null

  /** `[DONE]`, or an error in an event of its own. */
  get ended(): 'done' | 'failed' | null {
    return this.#ended
  }

  get error(): unknown {
    return this.#error
  }

  /** Some choice has told why it ended, or the usage was told. */
  get isComplete(): boolean {
    return this.#finished || this.usageReports.length > 0
  }

  get head(): ChunkHead | null {
    return this.#head
  }

  /** The bytes to hand on, or null when there is nothing to say yet. @throws EventTooLargeError */
  push(chunk: Buffer): Buffer | null {
    const bytes = this.#carry.push(chunk)
    return bytes && this.#relay(bytes)
  }

  /** The rest at the end of the upstream's answer, for those that leave out the last blank line. */
  flush(): Buffer | null {
    const rest = this.#carry.takeRest()
    return rest && this.#relay(Buffer.concat([rest, Buffer.from('\n\n')]))
  }

  #relay(bytes: Buffer): Buffer | null {
    const kept: Buffer[] = []
    let isUntouched = true
    for (let start = 0; start < bytes.length && this.#ended === null; ) {
      const end = nextBoundary(bytes, start)
      const event = bytes.subarray(start, end)
      const relayed = this.#relayEvent(event)
      if (relayed) kept.push(relayed)
      isUntouched &&= relayed === event
      start = end
    }
    if (kept.length === 0) return null
    return isUntouched && this.#ended === null ? bytes : Buffer.concat(kept)
  }

  #relayEvent(event: Buffer): Buffer | null {
    const data = eventData(event).trim()
    if (data === '') return event
    if (data === '[DONE]') {
      this.#ended = 'done'
      return null
    }
    const parsed = parseJsonObject(data)
    if (!parsed) return event
    this.#head ??= readChunkHead(parsed)
    if (parsed.error !== undefined && parsed.error !== null) {
      this.#ended = 'failed'
      this.#error = parsed.error
      return null
    }
    this.takeChoices(parsed.choices)
    return parsed.usage === undefined || parsed.usage === null ? event : this.#takeUsage(parsed)
  }

  /** Of an event, or of an answer in one piece. */
  takeChoices(choices: unknown): void {
    if (Array.isArray(choices)) for (const choice of choices) this.#take(choice)
  }

  #take(choice: unknown): void {
    if (!isObject(choice)) return
    const delta = choice.delta ?? choice.message
    if (isObject(delta)) this.delivered.add(delta)
    if (typeof choice.text === 'string') this.delivered.add({ text: choice.text })
    this.#finished ||= choice.finish_reason !== undefined && choice.finish_reason !== null
  }

  /** Our own last chunk tells the usage, with what was charged; the upstream's report is taken out. */
  #takeUsage({ usage, ...rest }: Record<string, unknown>): Buffer | null {
    if (this.usageReports.length === USAGE_REPORT_COUNT_MAX) this.usageReports.splice(1, 1)
    this.usageReports.push(usage)
    if (!Array.isArray(rest.choices) || rest.choices.length === 0) return null
    return Buffer.from(`data: ${JSON.stringify(rest)}\n\n`)
  }
}

function readChunkHead(chunk: Record<string, unknown>): ChunkHead | null {
  if (typeof chunk.id !== 'string' && !Array.isArray(chunk.choices)) return null
  return {
    id: typeof chunk.id === 'string' ? chunk.id.slice(0, 256) : '',
    model: typeof chunk.model === 'string' ? chunk.model.slice(0, 256) : '',
    created: typeof chunk.created === 'number' ? chunk.created : 0,
  }
}
