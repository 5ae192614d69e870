import 'server-only'

/** The destination of a pushed body. */
export interface BodyWriter {
  /** False if no more should be written for now. */
  write(bytes: Uint8Array): boolean
  end(): void
  /** Breaks the body off. */
  fail(error: Error): void
}

/** A body whose source pushes it: what a web stream takes per chunk would be most of the cost of relaying. */
export interface PushedBody {
  /**
   * To be called once.
   * @returns callbacks by which the writer asks for more again, or reports that the reader has left
   */
  writeTo(writer: BodyWriter): { ready(): void; gone(): void }
}

/** A response whose body our own server writes directly; Next, and anybody else, reads it as a stream. */
export class DirectResponse extends Response {
  #stream: ReadableStream<Uint8Array<ArrayBuffer>> | null = null

  constructor(
    readonly source: PushedBody | Uint8Array,
    { status, headers }: { status: number; headers: Record<string, string> },
  ) {
    super(null, { status })
    // Given to the constructor, they would take nearly twice as long.
    for (const [name, value] of Object.entries(headers)) this.headers.set(name, value)
  }

  override get body() {
    this.#stream ??= streamOf(this.source)
    return this.#stream
  }
}

/** How much is buffered for a slow reader before the source has to wait. */
export const READ_AHEAD_BYTES_MAX = 16 * 1024

export function streamOf(source: PushedBody | Uint8Array): ReadableStream<Uint8Array<ArrayBuffer>> {
  let reading: ReturnType<PushedBody['writeTo']> | null = null
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        const write = (bytes: Uint8Array) => {
          controller.enqueue(bytes as Uint8Array<ArrayBuffer>)
          return (controller.desiredSize ?? 0) > 0
        }
        if (source instanceof Uint8Array) {
          write(source)
          controller.close()
        } else {
          const end = () => controller.close()
          reading = source.writeTo({ write, end, fail: error => controller.error(error) })
        }
      },
      pull: () => reading?.ready(),
      cancel: () => reading?.gone(),
    },
    { highWaterMark: READ_AHEAD_BYTES_MAX, size: chunk => chunk.byteLength },
  )
}
