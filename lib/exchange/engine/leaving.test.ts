import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { createLeaving } from './leaving'

const LIMITS = { drainQuietMs: 2, drainBacklogQuietMs: 300, drainMsMax: 1_000 }
/** More than the turns that are waited for after the last byte. */
const TURN_COUNT = 30

describe('an answer whose reader leaves', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] })
  })
  afterEach(() => {
    jest.useRealTimers()
  })

  test('is cut at the model’s first pause', async () => {
    const { leaving, cut } = begin()
    leaving.noteProgress(40)
    await pass(LIMITS.drainQuietMs)
    expect(cut).toHaveBeenCalledWith('disconnected')
  })

  test('is read further if a large backlog was waiting, however small its pieces', async () => {
    const { leaving, cut } = begin()
    for (let piece = 0; piece < 20; piece += 1) leaving.noteProgress(2_048)
    await pass(LIMITS.drainQuietMs)
    expect(cut).not.toHaveBeenCalled()
    // The last of it fills no read.
    leaving.noteProgress(300)
    await pass(LIMITS.drainQuietMs)
    expect(cut).not.toHaveBeenCalled()
    await pass(LIMITS.drainBacklogQuietMs)
    expect(cut).toHaveBeenCalledTimes(1)
  })

  test('that arrives over many turns of the event loop has no backlog', async () => {
    const { leaving, cut } = begin()
    for (let piece = 0; piece < 20; piece += 1) {
      leaving.noteProgress(2_048)
      await nextTurn()
    }
    await pass(LIMITS.drainQuietMs)
    expect(cut).toHaveBeenCalledTimes(1)
  })

  test('is read further if more arrives while the process is busy', async () => {
    const { leaving, cut } = begin()
    leaving.noteProgress(40)
    jest.advanceTimersByTime(LIMITS.drainQuietMs)
    await nextTurn()
    leaving.noteProgress(40)
    await pass(0)
    expect(cut).not.toHaveBeenCalled()
    await pass(LIMITS.drainQuietMs)
    expect(cut).toHaveBeenCalledTimes(1)
  })

  test('is cut at once if its request has not been sent', () => {
    const { cut } = begin(false)
    expect(cut).toHaveBeenCalledTimes(1)
  })

  test('is read on, however long, while its cost is only known at its end', async () => {
    const { leaving, cut } = begin(true, true, false)
    leaving.noteProgress(40)
    await pass(LIMITS.drainMsMax)
    expect(cut).not.toHaveBeenCalled()
  })

  test('ends for the first reason that was given', async () => {
    const { leaving, cut } = begin()
    leaving.leave('stopped')
    await pass(LIMITS.drainQuietMs)
    expect(cut).toHaveBeenCalledWith('disconnected')
    expect(leaving.cause).toBe('disconnected')
  })

  test('is cut once, whatever arrives after that', async () => {
    const { leaving, cut } = begin()
    for (const _ of [1, 2]) {
      leaving.noteProgress(40)
      await pass(LIMITS.drainQuietMs)
    }
    expect(cut).toHaveBeenCalledTimes(1)
  })

  test('has ended by itself before, and counts as left by nobody', async () => {
    const { leaving, cut } = begin(true, false)
    leaving.noteProgress(40)
    leaving.end()
    leaving.leave('stopped')
    leaving.noteProgress(40)
    await pass(LIMITS.drainMsMax)
    expect(leaving.cause).toBeNull()
    expect(cut).not.toHaveBeenCalled()
  })

  test('has the whole time limit from then on, however long it had been written', async () => {
    const { leaving, cut } = begin(true, false)
    leaving.noteProgress(40)
    await pass(LIMITS.drainMsMax - 1)
    leaving.leave('stopped')
    leaving.noteProgress(40)
    await pass(1)
    expect(cut).not.toHaveBeenCalled()
    await pass(LIMITS.drainQuietMs)
    expect(cut).toHaveBeenCalledWith('stopped')
  })

  test('is cut after the time limit if it never pauses', async () => {
    const { leaving, cut } = begin()
    for (let ms = 0; ms < LIMITS.drainMsMax; ms += 1) {
      leaving.noteProgress(40)
      jest.advanceTimersByTime(1)
    }
    expect(cut).toHaveBeenCalledTimes(1)
  })
})

function begin(isSent = true, isLeft = true, isCountable = true) {
  const cut = jest.fn<(cause: string) => void>()
  const reader = { isCountable: () => isCountable }
  const leaving = createLeaving({ limits: LIMITS, isSent: () => isSent, reader: () => reader, cut })
  if (isLeft) leaving.leave('disconnected')
  return { leaving, cut }
}

async function pass(ms: number): Promise<void> {
  jest.advanceTimersByTime(ms)
  for (let turn = 0; turn < TURN_COUNT; turn += 1) await nextTurn()
}
