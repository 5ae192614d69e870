import { answerApi } from '@/test/support/answer-api'
import { type ServedHandler, serveHandler } from '@/test/support/serve-handler'

/** The API over real HTTP. What stands before it (middleware, rewrites) is not here. */
export function serveApp(): Promise<ServedHandler> {
  return serveHandler(answerApi)
}
