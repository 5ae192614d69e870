import type { Conversation } from '@/lib/local/domain/conversation'
import type { ExchangeInput, ExchangeObserver, ExchangeWorld, RunningExchange } from './run-exchange'

/** What a message asks for: an answer in words, or a picture. */
export type ExchangeKind = 'chat' | 'image'

/** How one kind of exchange is asked for, and fetched to its end. */
export interface ExchangeRunner {
  /** The request whose answer goes into message `answerId`; the same text whenever it is asked again. */
  readonly buildBody: (conversation: Conversation, answerId: string) => Promise<string>
  readonly run: (input: ExchangeInput, observer: ExchangeObserver, world: ExchangeWorld) => RunningExchange
}
