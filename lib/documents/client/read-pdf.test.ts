import { describe, expect, jest, test } from '@jest/globals'
import { type PdfWorker, readPdf } from './read-pdf'

const BYTES = new Uint8Array([1, 2, 3])

function start(signal = new AbortController().signal) {
  const posted: unknown[] = []
  const worker: PdfWorker = {
    postMessage: message => posted.push(message),
    terminate: jest.fn(),
    onmessage: null,
    onerror: null,
  }
  let timeUp = () => {}
  const stopTimer = jest.fn()
  const reading = readPdf({
    bytes: BYTES,
    signal,
    startWorker: () => worker,
    startTimer: onTimeUp => {
      timeUp = onTimeUp
      return stopTimer
    },
  })
  const say = (data: unknown) => worker.onmessage?.(new MessageEvent('message', { data }))
  return { reading, worker, posted, stopTimer, say, timeUp: () => timeUp() }
}

describe('the worker that reads a PDF', () => {
  test('is stopped after its time limit', async () => {
    const { reading, worker, timeUp } = start()
    timeUp()
    expect(await reading).toEqual({ fault: 'tooSlow' })
    expect(worker.terminate).toHaveBeenCalledTimes(1)
  })

  test('is stopped when the file is removed, and not started for a removed one', async () => {
    const abort = new AbortController()
    const { reading, worker, stopTimer } = start(abort.signal)
    abort.abort()
    expect(await reading).toEqual({ fault: 'cancelled' })
    expect(worker.terminate).toHaveBeenCalledTimes(1)
    expect(stopTimer).toHaveBeenCalledTimes(1)
    const late = start(abort.signal)
    expect(await late.reading).toEqual({ fault: 'cancelled' })
    expect(late.posted).toEqual([])
  })

  test.each([
    ['while it reads', ['loaded'], 'unreadable'],
    ['before it is here, as without a network', [], 'unloaded'],
  ])('is stopped when it fails %s', async (_when, said, fault) => {
    const { reading, worker, say } = start()
    said.forEach(say)
    worker.onerror?.(Object.assign(new Event('error'), new ErrorEventFields()))
    expect(await reading).toEqual({ fault })
    expect(worker.terminate).toHaveBeenCalledTimes(1)
  })

  test.each([
    [{ result: { fault: 'unloaded' } }, { fault: 'unloaded' }],
    [{ result: { text: 7 } }, { fault: 'unreadable' }],
    [{ result: { fault: 'encrypted' } }, { fault: 'encrypted' }],
    [{ result: { fault: 'anything' } }, { fault: 'unreadable' }],
    [
      { result: { text: 'Hello', pageCount: 2, isCut: true } },
      { mediaType: 'application/pdf', text: 'Hello', pageCount: 2, isCut: true },
    ],
  ])('is stopped after its answer %j', async (data, result) => {
    const { reading, worker, stopTimer, say } = start()
    for (const noise of [null, 'ready', { action: 'ready' }, { result: null }]) say(noise)
    expect(worker.terminate).not.toHaveBeenCalled()
    say(data)
    expect(await reading).toEqual(result)
    expect(worker.terminate).toHaveBeenCalledTimes(1)
    expect(stopTimer).toHaveBeenCalledTimes(1)
  })

  test('gets a copy, so that the stored bytes stay complete', async () => {
    const { reading, posted, timeUp } = start()
    expect(posted).toEqual([BYTES])
    expect(posted[0]).not.toBe(BYTES)
    timeUp()
    await reading
  })
})

/** Node has no ErrorEvent. */
class ErrorEventFields {
  message = ''
  filename = ''
  lineno = 0
  colno = 0
  error: unknown = null
}
