import { READ_TIMEOUT_MS } from '../domain/document-limits'
import type { ReadResult } from '../domain/read-document'

/** The part of a worker that is used, so that a test can replace it. */
export interface PdfWorker {
  postMessage(message: unknown, transfer: Transferable[]): void
  terminate(): void
  onmessage: ((event: MessageEvent) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
}

interface ReadPdfOptions {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Aborts at once if the person removes the file. */
  readonly signal: AbortSignal
  readonly startWorker?: () => PdfWorker
  /** Calls back when the time is up. @returns how to cancel the timer */
  readonly startTimer?: (onTimeUp: () => void) => () => void
}

/** Reads a PDF in a worker of its own, which is terminated in any case. Never throws. */
export function readPdf(options: ReadPdfOptions): Promise<ReadResult> {
  const { bytes, signal, startWorker = startPdfWorker, startTimer = startReadTimer } = options
  return new Promise(resolve => {
    if (signal.aborted) return resolve({ fault: 'cancelled' })
    const worker = startWorker()
    const end = (result: ReadResult) => {
      worker.terminate()
      stopTimer()
      signal.removeEventListener('abort', cancel)
      resolve(result)
    }
    const cancel = () => end({ fault: 'cancelled' })
    const stopTimer = startTimer(() => end({ fault: 'tooSlow' }))
    signal.addEventListener('abort', cancel)
    let isLoaded = false
    // Also if it runs out of memory, which leaves the page itself intact.
    worker.onerror = event => {
      event.preventDefault()
      end({ fault: isLoaded ? 'unreadable' : 'unloaded' })
    }
    worker.onmessage = ({ data }: MessageEvent<unknown>) => {
      isLoaded = true
      const result = resultOf(data)
      if (result) end(result)
    }
    // A copy, because the original is kept to be stored.
    const copy = bytes.slice()
    worker.postMessage(copy, [copy.buffer])
  })
}

function startPdfWorker(): PdfWorker {
  return new Worker(new URL('./pdf-worker.ts', import.meta.url), { type: 'module' })
}

function startReadTimer(onTimeUp: () => void): () => void {
  const timer = setTimeout(onTimeUp, READ_TIMEOUT_MS)
  return () => clearTimeout(timer)
}

const WORKER_FAULTS = ['encrypted', 'unloaded'] as const

/**
 * The worker's code is ours, but its messages are validated all the same, because a hostile document ran through it.
 */
function resultOf(data: unknown): ReadResult | null {
  if (typeof data !== 'object' || data === null || !('result' in data)) return null
  const { result } = data
  if (typeof result !== 'object' || result === null) return null
  if ('fault' in result) return { fault: WORKER_FAULTS.find(one => one === result.fault) ?? 'unreadable' }
  if (!('text' in result) || typeof result.text !== 'string') return { fault: 'unreadable' }
  const pageCount = 'pageCount' in result && typeof result.pageCount === 'number' ? result.pageCount : null
  return {
    mediaType: 'application/pdf',
    text: result.text,
    pageCount,
    isCut: 'isCut' in result && result.isCut === true,
  }
}
