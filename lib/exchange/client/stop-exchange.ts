import { isObject } from '@/lib/http/domain/is-object'
import { type ExchangeRequests, readReplyJson } from './exchange-requests'
import type { ExchangeWorld } from './page-world'

/** Between two stops: the request may still be on its way, and every second of its answer is paid for. */
export const STOP_PAUSE_MS = 1_000
/** How long after a stop a silent connection is still trusted, and its reply waited for. */
export const STOP_GRACE_MS = 10_000

interface StopInput {
  readonly requests: ExchangeRequests
  readonly world: ExchangeWorld
  /** Aborted when the exchange has ended. */
  readonly over: AbortSignal
  /** Null while the server has sent none; then the resume name is used. */
  readonly exchangeId: () => string | null
  readonly onReply: (reply: Record<string, unknown>) => void
}

/** Makes the server stop an exchange, even if requests come too early or are lost. */
export class ExchangeStop {
  /** The server's reply: the answer has ended, or is being completed. */
  outcome: 'stopped' | 'finishing' | null = null
  #request: Promise<void> | null = null
  readonly #input: StopInput

  constructor(input: StopInput) {
    this.#input = input
  }

  /** The first request may come before the server knows of the exchange, and any may be lost. */
  async askUntilTold(): Promise<void> {
    const { world, over } = this.#input
    while (!over.aborted) {
      await this.ask()
      if (this.outcome !== null) return
      await world.wait(STOP_PAUSE_MS, over)
    }
  }

  /** One request at a time: further calls wait for the same reply. */
  ask(): Promise<void> {
    this.#request ??= this.#send().finally(() => {
      this.#request = null
    })
    return this.#request
  }

  async #send(): Promise<void> {
    const { requests, world, over, exchangeId, onReply } = this.#input
    const silence = new AbortController()
    // One that is under way when the exchange ends may still arrive.
    void world.wait(STOP_GRACE_MS, over).then(() => over.aborted || silence.abort())
    try {
      const response = await requests.stop(exchangeId(), silence.signal)
      const reply = await readReplyJson(response)
      if (!response.ok || over.aborted || !isObject(reply)) return
      this.outcome = reply.stopped === true ? 'stopped' : 'finishing'
      onReply(reply)
    } catch {
      // Repeated for as long as the exchange is followed.
    }
  }
}
