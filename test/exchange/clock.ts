import { afterAll } from '@jest/globals'

/** From this length on, pauses take a fifth of their time, which is not under test. */
const MIDDLING_MS = 200
const HASTE = 5
/** From this length on, waits only pass when a test says so. */
const LONG_MS = 5_000
/** The same for timers, which are limits: a busy machine may take as long for what is limited, such as a settlement. */
const LIMIT_MS = 2_000
/** Its timeouts are about a real server, which no test makes faster. */
const DATABASE_DRIVER = /node_modules[\\/]pg/
/** The longest delay of a timer, for one that never fires by itself. */
const NEVER_MS = 2 ** 31 - 1

export interface Clock {
  /** Lets this much time pass for the product: its long timers fire in order, and its clocks advance. */
  pass(milliseconds: number): Promise<void>
  /** Forgets all waits. */
  stop(): void
}

interface Waiting {
  dueMs: number
  /** Null for a timer that fires once. */
  everyMs: number | null
  fire: () => void
}

type Callback = (...values: unknown[]) => void

/*
 * Loading this file takes over the process's long timers, in all the ways in which code waits here, so that timeouts of
 * minutes can be tested without waiting. Modules that import `node:timers/promises` must be loaded afterwards,
 * dynamically, because those names are bound once, when the first importer is linked.
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

/** Backed by a real timer that never fires, so that its holder can do everything that can be done with one. */
function add(everyMs: number | null, delayMs: number, fire: () => void): NodeJS.Timeout {
  const handle = realSetTimeout(() => {}, NEVER_MS).unref()
  const start = () => {
    waiting.set(handle, { dueMs: now() + delayMs, everyMs, fire })
    return handle
  }
  replace(handle, { refresh: start })
  return start()
}

/** Mostly a limit, and no pause: shortened, it would run out on a busy machine. */
function setTimer(callback: Callback, delayMs = 0, ...values: unknown[]): NodeJS.Timeout {
  return delayMs < LIMIT_MS || isAskedByDriver()
    ? realSetTimeout(callback, delayMs, ...values)
    : add(null, delayMs, () => callback(...values))
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
  return isAskedByDriver() ? delayMs : null
}

/** Without the text of a stack, whose lines would be looked up in source maps for every timer. */
function isAskedByDriver(): boolean {
  const { prepareStackTrace } = Error
  let isDriver = false
  Error.prepareStackTrace = (_error, sites) => {
    isDriver = sites.some(site => DATABASE_DRIVER.test(site.getFileName() ?? ''))
  }
  void new Error().stack
  Error.prepareStackTrace = prepareStackTrace
  return isDriver
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

/** A limit, too. */
function signalAfter(delayMs: number): AbortSignal {
  if (delayMs < MIDDLING_MS) return realTimeout(delayMs)
  const controller = new AbortController()
  add(null, delayMs, () => controller.abort(new DOMException('The time is over.', 'TimeoutError')))
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
// These three belong to the process, in which other files of tests come next.
afterAll(() => {
  replace(promises, { setTimeout: realWait })
  replace(AbortSignal, { timeout: realTimeout })
  replace(performance, { now: realPerformanceNow })
})
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
      // Lets the effects of this timer happen before the next one.
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
