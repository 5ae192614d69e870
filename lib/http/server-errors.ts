import 'server-only'
import { processWide } from '@/lib/observability/process-wide'

/** An error of the API with status 500 or above, and its cause. */
export interface ServerErrorEvent {
  error: unknown
  status: number
  /** Null if the answer had begun before the error: whoever writes the rest of it does not know the request. */
  request: Request | null
}

type Listener = (event: ServerErrorEvent) => void

/** The instrumentation, which listens, is bundled apart from the routes. */
const registry = processWide('server-errors', (): { listener?: Listener } => ({}))

/** Used by error reporting, if it is configured. The routes do not know who listens. */
export function onServerError(listener: Listener): void {
  registry.listener = listener
}

export function announceServerError(event: ServerErrorEvent): void {
  registry.listener?.(event)
}
