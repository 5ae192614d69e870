/** Waits from here on are over in a fifth of their time: nobody looks at pauses between attempts. */
const MIDDLING_MS = 200
const HASTE = 5
/** Waits from here on pass when a test says so, and only then. */
const LONG_MS = 5_000
/** Its time-outs are about a real server, which no test makes faster. */
const DATABASE_DRIVER = /node_modules[\\/]pg/
/** The longest that a timer can be set to: it stands for one that never fires by itself. */
const NEVER_MS = 2 ** 31 - 1

export interface Clock {
  /** Lets so much time pass for the product: its long timers fire in their order, its clocks go forward. */
  pass(milliseconds: number): Promise<void>
  /** Forgets who waits. */
  stop(): void
}

interface Waiting {
  dueMs: number
  /** Null for what fires once. */
  everyMs: number | null
  fire: () => void
}

type Callback = (...values: unknown[]) => void

/*
 * Loading this file takes the long timers of the process over, in all the ways in which code waits here, so
 * that time-outs of minutes can be tried without waiting for them. What imports `node:timers/promises` has to
 * be loaded afterwards, dynamically: those names are read once, when the first importer is linked.
 */
const promises = process.getBuiltinModule('node:timers/promises')
const { setTimeout: realSetTimeout, setInterval: realSetInterval } = globalThis
const { clearTimeout: realClearTimeout, clearInterval: realClearInterval } = globalThis
const { setTimeout: realWait } = promises
const realTimeout = AbortSignal.timeout.bind(AbortSignal)
const realPerformanceNow = performance.now.bind(performance)
const realDateNow = Date.now
const waiting = new Map<unknown, Waiting>()
let passedMs = 0
const now = () => realPerformanceNow() + passedMs

/** A real timer that never fires stands in, so that whoever holds it can do with it what he always can. */
function add(everyMs: number | null, delayMs: number, fire: () => void): NodeJS.Timeout {
  const handle = realSetTimeout(() => {}, NEVER_MS).unref()
  const start = () => {
    waiting.set(handle, { dueMs: now() + delayMs, everyMs, fire })
    return handle
  }
  replace(handle, { refresh: start })
  return start()
}

function setTimer(callback: Callback, delayMs = 0, ...values: unknown[]): NodeJS.Timeout {
  const realMs = realDelayOf(delayMs)
  return realMs === null
    ? add(null, delayMs, () => callback(...values))
    : realSetTimeout(callback, realMs, ...values)
}

function setRepeatedTimer(callback: Callback, delayMs = 0, ...values: unknown[]): NodeJS.Timeout {
  const realMs = realDelayOf(delayMs)
  return realMs === null
    ? add(delayMs, delayMs, () => callback(...values))
    : realSetInterval(callback, realMs, ...values)
}

/** Null for a wait that a test ends. */
function realDelayOf(delayMs: number): number | null {
  if (delayMs < MIDDLING_MS) return delayMs
  if (delayMs < LONG_MS) return delayMs / HASTE
  return DATABASE_DRIVER.test(new Error().stack ?? '') ? delayMs : null
}

function clearTimer(handle: NodeJS.Timeout | undefined): void {
  waiting.delete(handle)
  realClearTimeout(handle)
  realClearInterval(handle)
}

function wait(delayMs = 0, value?: unknown, options: { signal?: AbortSignal } = {}): Promise<unknown> {
  const realMs = realDelayOf(delayMs)
  if (realMs !== null) return realWait(realMs, value, options)
  return new Promise((resolve, reject) => {
    const handle = setTimer(() => resolve(value), delayMs)
    options.signal?.addEventListener('abort', () => {
      clearTimer(handle)
      reject(new DOMException('The operation was aborted', 'AbortError'))
    })
  })
}

function signalAfter(delayMs: number): AbortSignal {
  const realMs = realDelayOf(delayMs)
  if (realMs !== null) return realTimeout(realMs)
  const controller = new AbortController()
  setTimer(() => controller.abort(new DOMException('The time is over.', 'TimeoutError')), delayMs)
  return controller.signal
}

replace(globalThis, {
  setTimeout: setTimer,
  setInterval: setRepeatedTimer,
  clearTimeout: clearTimer,
  clearInterval: clearTimer,
})
replace(promises, { setTimeout: wait })
replace(AbortSignal, { timeout: signalAfter })
replace(performance, { now })
replace(Date, { now: () => realDateNow() + Math.floor(passedMs) })

function replace(holder: object, values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(holder, name, { value, configurable: true, writable: true, enumerable: true })
  }
}

export const clock: Clock = {
  async pass(milliseconds) {
    const untilMs = now() + milliseconds
    for (;;) {
      const [next] = [...waiting].filter(([, { dueMs }]) => dueMs <= untilMs).sort(byTime)
      if (!next) break
      const [handle, { dueMs, everyMs, fire }] = next
      passedMs += Math.max(0, dueMs - now())
      if (everyMs === null) waiting.delete(handle)
      else waiting.set(handle, { dueMs: dueMs + everyMs, everyMs, fire })
      fire()
      // What it set off goes its way before the next one.
      await new Promise(resolve => setImmediate(resolve))
    }
    passedMs += Math.max(0, untilMs - now())
  },
  stop() {
    waiting.clear()
  },
}

function byTime([, left]: [unknown, Waiting], [, right]: [unknown, Waiting]): number {
  return left.dueMs - right.dueMs
}
