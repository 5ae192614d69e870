import { describe, expect, test } from '@jest/globals'
import { createAttendance, createOwners, type RunningExchange } from './owners'

/** What is asked of an exchange to find it. */
function exchange(accountId: string, resumeName: string | null = null) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const running = { id: `of ${accountId}`, accountId, resumeName, answerId: () => 'chatcmpl-1' }
  return { running: { ...running, finished: promise } as unknown as RunningExchange, finish: resolve }
}

describe('the answers that a process is writing', () => {
  test('are found by any of their names, each by its own account alone, until they are finished', async () => {
    const owners = createOwners()
    const [one, two] = [exchange('one', 'resume'), exchange('two')]
    for (const { running } of [one, two]) owners.claim(running)
    const find = (name: string, accountId: string) => owners.find({ name, accountId })
    for (const name of ['of one', 'resume', 'chatcmpl-1']) expect(find(name, 'one')).toBe(one.running)
    expect(find('chatcmpl-1', 'two')).toBe(two.running)
    expect([find('of one', 'two'), find('resume', 'two'), find('chatcmpl-1', 'three')]).toEqual([
      null,
      null,
      null,
    ])
    one.finish()
    await one.running.finished
    await null
    for (const name of ['of one', 'resume', 'chatcmpl-1']) expect(find(name, 'one')).toBeNull()
    expect(owners.all()).toEqual([two.running])
  })

  test('keep a name that a later one has taken', async () => {
    const owners = createOwners()
    const [first, second] = [exchange('one', 'resume'), exchange('one', 'resume')]
    for (const { running } of [first, second]) owners.claim(running)
    first.finish()
    await first.running.finished
    await null
    expect(owners.find({ name: 'resume', accountId: 'one' })).toBe(second.running)
  })
})

test('an answer is empty once, when its last reader has left, however each of them leaves', () => {
  let emptyCount = 0
  const attend = createAttendance(() => (emptyCount += 1))
  const abort = new AbortController()
  const stays = attend(new AbortController().signal)
  const leaves = attend(abort.signal)
  abort.abort()
  leaves.leave()
  expect(emptyCount).toBe(0)
  stays.leave()
  stays.leave()
  expect(emptyCount).toBe(1)
  attend(AbortSignal.abort())
  expect(emptyCount).toBe(2)
})
