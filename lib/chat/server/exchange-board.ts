import 'server-only'

export interface AnnouncedExchange {
  exchangeId: string
  accountId: string
  /** Derived from the resume key; null when nobody can resume it. */
  resumeName: string | null
}

/**
 * Where the processes of one deployment tell each other which answers they are writing. A request reaches
 * any of them: a stop has to find the owner, and a resume must not take an answer that another one is still
 * writing for a lost one. Nothing of an answer stands here.
 */
export interface ExchangeBoard {
  announce(exchange: AnnouncedExchange, ttlSeconds: number): Promise<void>
  /** Only once the answer is kept: whoever finds neither may conclude that there is none. */
  withdraw(exchangeId: string): Promise<void>
  /** What runs under an exchange's id or its resume name; null for another account's. */
  find(input: { name: string; accountId: string }): Promise<AnnouncedExchange | null>
  /** Leaves word for the owner. The exchange's id; null when none runs. */
  requestStop(input: { name: string; accountId: string }): Promise<string | null>
  /** Keeps the owner's exchanges announced. Which of them it has been asked to stop. */
  keep(exchangeIds: readonly string[], ttlSeconds: number): Promise<readonly string[]>
  /** Removes what died with its process. */
  sweep(input: { rowCountMax: number }): Promise<void>
}
