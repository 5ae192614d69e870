/** Stores the last good answer of each upstream's `/models` across restarts. Losing it does no harm. */
export interface CatalogueStore {
  /** Null if there is no copy, or it cannot be read. */
  load(key: string): Promise<string | null>
  /** Never throws: without a stored copy only the next start is slower. */
  save(key: string, payload: string): Promise<void>
}
