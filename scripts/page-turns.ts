import type { IncomingMessage, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'

/** Rendering is work for the processor: more at once save no time, take memory, and hold up the answers of the API. */
const RENDERED_AT_ONCE_MAX = 4
/** How often to look whether a page is still being rendered, or waits: for its visitor, or for another server. */
const LOOK_INTERVAL_MS = 250
/** If the event loop is busy for a smaller part of the time, what is being rendered is waiting. */
const BUSY_PART_MIN = 0.2

type Render = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>

/**
 * Has pages rendered a few at a time, the clients taking turns: whoever asks for hundreds at once waits for them, and
 * others do not. A page whose reader has left meanwhile is not rendered.
 * @param clientOf names the client of a request
 */
export function pageTurns(render: Render, clientOf: (request: IncomingMessage) => string) {
  /** What each client waits for. The first client is the next to have a turn. */
  const waiting = new Map<string, (() => void)[]>()
  let renderedCount = 0

  function goOn(): void {
    for (const [client, pages] of waiting) {
      if (renderedCount === RENDERED_AT_ONCE_MAX) return
      waiting.delete(client)
      pages.shift()?.()
      if (pages.length > 0) waiting.set(client, pages)
    }
  }

  async function begin(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (response.destroyed) return
    renderedCount += 1
    let isOver = false
    const rendered = render(request, response)
      .catch(error => response.destroy(error))
      .then(() => {
        isOver = true
      })
    for (let isWaiting = false; !isOver && !isWaiting; ) {
      const before = performance.eventLoopUtilization()
      await Promise.race([rendered, nextLook()])
      const { utilization } = performance.eventLoopUtilization(before)
      isWaiting = !request.complete || response.writableNeedDrain || utilization < BUSY_PART_MIN
    }
    renderedCount -= 1
    goOn()
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    const client = clientOf(request)
    const pages = waiting.get(client) ?? []
    pages.push(() => void begin(request, response))
    waiting.set(client, pages)
    goOn()
  }
}

function nextLook(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, LOOK_INTERVAL_MS).unref())
}
