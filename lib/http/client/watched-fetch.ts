import type { CallOutcome } from '../domain/call-outcome'

type Listener = (outcome: CallOutcome) => void

const listeners = new Set<Listener>()

/**
 * Tells what becomes of each call from now on; returns how to stop it. The callers do not know who
 * listens: chat, ledger and payments stay apart from error reporting.
 */
export function onCallOutcome(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** `fetch`, for calls to this site's own API, and by address to its sign-in service. */
export async function watchedFetch(path: string, init: RequestInit = {}): Promise<Response> {
  const method = init.method ?? 'GET'
  try {
    const response = await fetch(path, init)
    announce({ method, path, status: response.status, failure: null })
    return response
  } catch (thrown) {
    // Safari says of a call that took too long only that it was aborted.
    const cause: unknown = init.signal?.aborted ? init.signal.reason : thrown
    const failure =
      cause instanceof Error || cause instanceof DOMException
        ? { name: cause.name, message: cause.message }
        : { name: '', message: '' }
    announce({ method, path, status: null, failure })
    throw thrown
  }
}

function announce(outcome: CallOutcome): void {
  for (const listener of listeners) listener(outcome)
}
