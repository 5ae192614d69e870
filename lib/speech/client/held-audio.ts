/** Sound in memory: about an hour and a half of compressed speech, which a phone can bear. */
const HELD_BYTES_MAX = 48 * 1024 * 1024

/** Sound that was paid for, by its text; if there is too much, the least recently used is dropped. */
export class HeldAudio {
  readonly #bytesMax: number
  /** In the order of their last use. */
  readonly #held = new Map<string, Blob>()
  #bytes = 0

  constructor(bytesMax = HELD_BYTES_MAX) {
    this.#bytesMax = bytesMax
  }

  has(key: string): boolean {
    return this.#held.has(key)
  }

  get(key: string): Blob | null {
    const audio = this.#held.get(key)
    if (!audio) return null
    this.#held.delete(key)
    this.#held.set(key, audio)
    return audio
  }

  put(key: string, audio: Blob): void {
    this.#drop(key)
    this.#held.set(key, audio)
    this.#bytes += audio.size
    for (const oldest of this.#held.keys()) {
      if (this.#bytes <= this.#bytesMax) return
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#held.get(key)?.size ?? 0
    this.#held.delete(key)
  }
}
