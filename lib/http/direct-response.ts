import 'server-only'

/** Where a body goes. */
export interface BodyWriter {
  /** False: no more for now. */
  write(bytes: Uint8Array): boolean
  end(): void
  /** Breaks it off. */
  fail(error: Error): void
}

/** A body that is written as it comes: what a web stream takes for each chunk is most of what relaying takes. */
export interface PushedBody {
  /** Once. @returns how its reader says that it wants more again, or that it has left before the end */
  writeTo(writer: BodyWriter): { ready(): void; gone(): void }
}

/** A response whose body a server of ours writes as it is; Next, and whoever else asks, gets a stream of it. */
export class DirectResponse extends Response {
  #stream: ReadableStream<Uint8Array<ArrayBuffer>> | null = null

  constructor(
    readonly source: PushedBody | Uint8Array,
    init: { status: number; headers: Record<string, string> },
  ) {
    super(null, init)
  }

  override get body() {
    this.#stream ??= streamOf(this.source)
    return this.#stream
  }
}

/** Read ahead of a slow reader; beyond, the source waits. */
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
