import type { ReadResult } from '../domain/read-document'
import { readPdfText } from './pdf-text'

/** The worker's only message: a PDF's bytes. What it says: that it is here, and then what was read. */
addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  // The library sends itself messages on the same line; those are no bare bytes.
  if (!(data instanceof Uint8Array)) return
  void readPdfText(data).then((result: ReadResult) => postMessage({ result }))
})

postMessage('loaded')
