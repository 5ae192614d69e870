import 'server-only'

/** Where an answer goes: straight to its one reader, or into a log that several can read. */
export interface Sink {
  /** Never refuses; false means that the sink wants no more until it is ready again. */
  write(bytes: Uint8Array): boolean
  end(): void
  wantsMore(): boolean
  /** The one who waits for readiness; null takes it back. */
  onReady(listener: (() => void) | null): void
}
