import { watchedFetch } from '@/lib/http/client/watched-fetch'
import { showIntervalMs } from './show-pace'

/** The network and the clock around an exchange, replaced in tests. */
export interface ExchangeWorld {
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>
  /** Resolves after the time, or at once when aborted. Never rejects. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** Resolves when the page is ready for more of an answer, or at once when aborted. Never rejects. */
  readonly readyForMore: (signal: AbortSignal) => Promise<void>
  /** Lets the page show what has changed before the rest, since both take a slow computer longer than a frame. */
  readonly giveWay: () => Promise<void>
  /** Calls back whenever the page wakes: shown again, or back online. Returns how to unsubscribe. */
  readonly onWake: (listener: () => void) => () => void
  /** Calls back when the browser loses its network, which no open connection may notice for minutes. */
  readonly onOffline: (listener: () => void) => () => void
  /** False if the browser knows that there is no network; true may still be wrong. */
  readonly isOnline: () => boolean
  /** Epoch milliseconds, by a clock that goes on while the device sleeps. */
  readonly now: () => number
}

/** The browser's own network, timers and wake-ups. */
export const pageWorld: ExchangeWorld = {
  fetch: watchedFetch,
  wait,
  readyForMore,
  giveWay,
  onWake,
  onOffline,
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
 * What arrives before the page shows more is read and parsed at once. In a hidden page the browser delays timers by up
 * to a minute, so data is taken as it arrives.
 */
async function readyForMore(signal: AbortSignal): Promise<void> {
  if (document.visibilityState === 'visible') await wait(showIntervalMs(), signal)
}

/** A browser without this function goes on at once. */
async function giveWay(): Promise<void> {
  await globalThis.scheduler?.yield?.()
}

function onWake(listener: () => void): () => void {
  const onVisibility = () => {
    if (document.visibilityState === 'visible') listener()
  }
  const listening = new AbortController()
  const { signal } = listening
  document.addEventListener('visibilitychange', onVisibility, { signal })
  window.addEventListener('pageshow', listener, { signal })
  window.addEventListener('online', listener, { signal })
  return () => listening.abort()
}

function onOffline(listener: () => void): () => void {
  window.addEventListener('offline', listener)
  return () => window.removeEventListener('offline', listener)
}
