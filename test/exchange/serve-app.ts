import { answerObserved } from '@/test/support/answer-api'
import { type ServedHandler, serveObserved } from '@/test/support/serve-handler'

/** The API over real HTTP, as mounted by a self-hosted server. */
export function serveApp(): Promise<ServedHandler> {
  return serveObserved(answerObserved)
}
