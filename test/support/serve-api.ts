import { answerObserved } from './answer-api'
import { type ServedHandler, serveObserved } from './serve-handler'

/** Has the routes find these services where lib/composition.ts keeps the process's own. */
export function provideServices(services: unknown): void {
  Object.assign(globalThis, { [Symbol.for('tuppence.services')]: Promise.resolve(services) })
}

/** The API over real HTTP, as mounted by a self-hosted server, with these services. */
export function serveApi(services: unknown): Promise<ServedHandler> {
  provideServices(services)
  return serveObserved(answerObserved)
}
