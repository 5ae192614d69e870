/** Keeps the last good answer of each upstream's `/models` across restarts. Losing it is harmless. */
export interface CatalogueStore {
  /** Null when there is no copy, or it cannot be read. */
  load(key: string): Promise<string | null>
  /** Never throws: a copy that cannot be kept costs nothing but a slower start. */
  save(key: string, payload: string): Promise<void>
}
