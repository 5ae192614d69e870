import { randomUUID } from 'node:crypto'
import { type ChargedUsage, namedEvent } from '../chat/answer-form'

/*
 * What Messages and Responses have in common when they write the answer of a host that speaks neither.
 */

/** The id of an answer as its dialect marks it, from the host's own if there is one. */
export function markedId(mark: string, id: unknown): string {
  const own = typeof id === 'string' ? id.replaceAll(/\W/g, '').slice(0, 128) : ''
  return `${mark}_${own || randomUUID().replaceAll('-', '')}`
}

/** The model that the host names, else the one that was asked. */
export function namedModel(model: unknown, asked: string): string {
  return typeof model === 'string' && model !== '' ? model.slice(0, 256) : asked
}

/** The charge, beside the counts that each dialect has under names of its own. */
export function chargeOf({ cost, balance_usd, estimated }: ChargedUsage): Record<string, unknown> {
  return {
    cost,
    ...(balance_usd !== undefined && { balance_usd }),
    ...(estimated && { estimated: true }),
  }
}

/** Events that have been written but not passed on yet. */
export class WrittenEvents {
  #text = ''

  say(event: { type: string } & Record<string, unknown>): void {
    this.#text += namedEvent(event)
  }

  /** Null if there are none. */
  take(): Buffer | null {
    const text = this.#text
    this.#text = ''
    return text === '' ? null : Buffer.from(text)
  }
}
