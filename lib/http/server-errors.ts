import 'server-only'

/** An answer of the API with status 500 or above, and what it came from. */
export interface ServerErrorEvent {
  error: unknown
  status: number
  request: Request
}

type Listener = (event: ServerErrorEvent) => void

/** In the registry of the process: the instrumentation, which listens, is bundled apart from the routes. */
const LISTENER_KEY = Symbol.for('tuppence.server-errors')
const processWide = globalThis as typeof globalThis & { [LISTENER_KEY]?: Listener }

/** Error reporting, where it is configured. The routes do not know who listens. */
export function onServerError(listener: Listener): void {
  processWide[LISTENER_KEY] = listener
}

export function announceServerError(event: ServerErrorEvent): void {
  processWide[LISTENER_KEY]?.(event)
}
