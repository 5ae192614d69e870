import { afterEach, expect, test } from '@jest/globals'
import { clock } from './clock'

const { setTimeout: wait } = await import('node:timers/promises')

afterEach(() => clock.stop())

test('long timers of every kind fire in order when the test clock passes them', async () => {
  const over: string[] = []
  setTimeout(() => over.push('timer'), 60_000)
  void wait(30_000).then(() => over.push('promise'))
  const repeated = setInterval(() => over.push('repeated'), 40_000)
  const cleared = setTimeout(() => over.push('cleared'), 10_000)
  AbortSignal.timeout(50_000).onabort = () => over.push('signal')
  clearTimeout(cleared)
  await clock.pass(59_000)
  expect(over).toEqual(['promise', 'repeated', 'signal'])
  clearInterval(repeated)
  await clock.pass(60_000)
  expect(over).toEqual(['promise', 'repeated', 'signal', 'timer'])
})

test('a timer that is refreshed fires that much later', async () => {
  let isOver = false
  const timer = setTimeout(() => {
    isOver = true
  }, 60_000)
  await clock.pass(50_000)
  timer.refresh()
  await clock.pass(50_000)
  expect(isOver).toBe(false)
  await clock.pass(11_000)
  expect(isOver).toBe(true)
})

test('Date and performance move with the test clock, and short timers stay real', async () => {
  const before = { date: Date.now(), now: performance.now() }
  await clock.pass(3_600_000)
  await wait(1)
  expect(Date.now() - before.date).toBeGreaterThanOrEqual(3_600_000)
  expect(performance.now() - before.now).toBeGreaterThanOrEqual(3_600_000)
})

test('a pause passes sooner than in truth, and a limit only with the test clock', async () => {
  const over: string[] = []
  AbortSignal.timeout(200).onabort = () => over.push('signal')
  setTimeout(() => over.push('timer'), 2_000)
  await wait(1_000)
  expect(over).toEqual([])
  await clock.pass(2_000)
  expect(over).toEqual(['signal', 'timer'])
})

test('a timer that is aborted ends with its signal', async () => {
  const abort = new AbortController()
  const waiting = wait(60_000, null, { signal: abort.signal })
  abort.abort()
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
})
