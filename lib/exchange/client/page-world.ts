import { watchedFetch } from '@/lib/http/client/watched-fetch'
import type { ExchangeWorld } from './run-exchange'

/** The browser's own network, timers and wake-ups. */
export const pageWorld: ExchangeWorld = {
  fetch: watchedFetch,
  wait,
  onWake,
  now: () => performance.now(),
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
