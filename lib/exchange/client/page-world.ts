import { watchedFetch } from '@/lib/http/client/watched-fetch'
import { showIntervalMs } from './show-pace'

/** The network and the clock around an exchange, replaced in tests. */
export interface ExchangeWorld {
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>
  /** Resolves after the time, or at once when aborted. Never rejects. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** Resolves when the page has use for more of an answer, or at once when aborted. Never rejects. */
  readonly readyForMore: (signal: AbortSignal) => Promise<void>
  /** Lets the page show what has changed before the rest: together they take a slow computer longer than a frame. */
  readonly giveWay: () => Promise<void>
  /** Calls back whenever the page wakes: shown again, or back online. Returns how to unsubscribe. */
  readonly onWake: (listener: () => void) => () => void
  /** False when the browser knows that there is no network; true may still be a mistake. */
  readonly isOnline: () => boolean
  /** Epoch milliseconds: a clock that goes on while the device sleeps. */
  readonly now: () => number
}

/** The browser's own network, timers and wake-ups. */
export const pageWorld: ExchangeWorld = {
  fetch: watchedFetch,
  wait,
  readyForMore,
  giveWay,
  onWake,
  isOnline: () => navigator.onLine !== false,
  now: () => Date.now(),
}

function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) return resolve()
    const finish = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, milliseconds)
    signal.addEventListener('abort', finish)
  })
}

/**
 * What comes before the page shows more is read, and understood, in one go. Of a hidden page the browser holds timers
 * back, by up to a minute: it takes what comes as it comes.
 */
async function readyForMore(signal: AbortSignal): Promise<void> {
  if (document.visibilityState === 'visible') await wait(showIntervalMs(), signal)
}

/** A browser that cannot do this goes on at once. */
async function giveWay(): Promise<void> {
  await globalThis.scheduler?.yield?.()
}

function onWake(listener: () => void): () => void {
  const onVisibility = () => {
    if (document.visibilityState === 'visible') listener()
  }
  document.addEventListener('visibilitychange', onVisibility)
  window.addEventListener('pageshow', listener)
  window.addEventListener('online', listener)
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    window.removeEventListener('pageshow', listener)
    window.removeEventListener('online', listener)
  }
}
