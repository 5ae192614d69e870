import 'server-only'

/** Answers kept for ten minutes, sealed with keys that only those have who may read them. */
export interface ReplayStore {
  /** Overwrites nothing: the first answer of an exchange stands. */
  put(input: StoredReplay & { ttlSeconds: number }): Promise<void>
  /** By the exchange's id or its resume name; null when unknown or expired. */
  find(name: string): Promise<StoredReplay | null>
  /** Removes at most so many expired rows. */
  sweep(input: { rowCountMax: number }): Promise<void>
}

export interface StoredReplay {
  exchangeId: string
  /** The name that a browser derives from its resume key; null when there is none. */
  resumeName: string | null
  accountId: string
  sealed: Uint8Array
}
