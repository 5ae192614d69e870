import type { ReadResult } from '../domain/read-document'
import { readPdfText } from './pdf-text'

/** The only message to the worker is a PDF's bytes. It sends one when it is loaded, and then one with the result. */
addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  // The library sends messages to itself on the same channel; those are not plain bytes.
  if (!(data instanceof Uint8Array)) return
  void readPdfText(data).then((result: ReadResult) => postMessage({ result }))
})

postMessage('loaded')
