import { answerObserved } from '@/test/support/answer-api'
import { type ServedHandler, serveObserved } from '@/test/support/serve-handler'

/** The API over real HTTP, as a self-hosted server mounts it. */
export function serveApp(): Promise<ServedHandler> {
  return serveObserved(answerObserved)
}
