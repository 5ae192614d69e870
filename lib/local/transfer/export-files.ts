const LISTS = ['conversations', 'images', 'documents'] as const

/**
 * Files of one export. Their items are added one by one, list by list, and each may be stored on disk at once, so that
 * they are never in memory as one text.
 */
export class ExportFiles {
  readonly #head: object
  readonly #bytesMax: number
  readonly #files: Blob[] = []
  #parts: Blob[] = []
  #byteCount = 0
  #listIndex = 0
  /** Whether the list that is being written has no items yet. */
  #isEmpty = true

  constructor(head: object, texts: Record<string, string | null>, bytesMax: number) {
    this.#head = head
    this.#bytesMax = bytesMax
    this.#begin(texts)
  }

  add(list: (typeof LISTS)[number], item: unknown): void {
    const part = new Blob([JSON.stringify(item)])
    if (this.#byteCount + part.size > this.#bytesMax) {
      this.#finish()
      this.#begin({})
    }
    this.#goTo(LISTS.indexOf(list))
    if (!this.#isEmpty) this.#push(',')
    this.#push(part)
    this.#isEmpty = false
  }

  end(): Blob[] {
    this.#finish()
    return this.#files
  }

  #begin(texts: Record<string, string | null>): void {
    this.#parts = []
    this.#byteCount = 0
    this.#listIndex = 0
    this.#isEmpty = true
    this.#push(`${JSON.stringify({ ...this.#head, local_storage: texts }).slice(0, -1)},"${LISTS[0]}":[`)
  }

  #goTo(listIndex: number): void {
    while (this.#listIndex < listIndex) {
      this.#listIndex += 1
      this.#isEmpty = true
      this.#push(`],"${LISTS[this.#listIndex]}":[`)
    }
  }

  #finish(): void {
    this.#goTo(LISTS.length - 1)
    this.#push(']}')
    this.#files.push(new Blob(this.#parts, { type: 'application/json' }))
  }

  #push(piece: string | Blob): void {
    const part = typeof piece === 'string' ? new Blob([piece]) : piece
    this.#parts.push(part)
    this.#byteCount += part.size
  }
}
