import { describe, expect, jest, test } from '@jest/globals'
import { EMPTY_ANSWER } from './answer'
import { createLiveAnswers } from './live-answers'

function setUp() {
  const due: (() => number)[] = []
  const live = createLiveAnswers(task => due.push(task))
  const runFrame = () => {
    return due.splice(0).map(task => task())
  }
  return { live, due, runFrame }
}

describe('a running answer', () => {
  test('is updated once per frame, with everything that has arrived', () => {
    const { live, due, runFrame } = setUp()
    const listener = jest.fn()
    live.begin('a', 'chat')
    live.subscribe('a', listener)
    for (const text of ['1', '12', '123']) live.setAnswer('a', { ...EMPTY_ANSWER, text })
    live.setPhase('a', 'streaming')
    expect([due.length, listener.mock.calls.length, live.get('a')?.answer.text]).toEqual([1, 0, ''])
    runFrame()
    expect(listener).toHaveBeenCalledTimes(1)
    expect(live.get('a')).toMatchObject({ kind: 'chat', answer: { text: '123' }, phase: 'streaming' })
  })

  test('reports with each frame how much is new', () => {
    const { live, runFrame } = setUp()
    live.begin('a', 'chat')
    live.begin('b', 'chat')
    live.setAnswer('a', { ...EMPTY_ANSWER, text: '123', reasoning: '12' })
    live.setAnswer('b', { ...EMPTY_ANSWER, text: '1' })
    expect(runFrame()).toEqual([6])
    live.setAnswer('a', { ...EMPTY_ANSWER, text: '1234', reasoning: '12' })
    expect(runFrame()).toEqual([1])
    live.setPhase('a', 'stopping')
    expect(runFrame()).toEqual([0])
  })

  test('notifies only its own message', () => {
    const { live, runFrame } = setUp()
    const other = jest.fn()
    live.begin('a', 'chat')
    live.begin('b', 'image')
    live.subscribe('b', other)
    live.setAnswer('a', { ...EMPTY_ANSWER, text: 'x' })
    runFrame()
    expect(other).not.toHaveBeenCalled()
  })

  test('is removed at once when it ends, and not restored by a late frame', () => {
    const { live, runFrame } = setUp()
    live.begin('a', 'chat')
    live.setAnswer('a', { ...EMPTY_ANSWER, text: 'x' })
    live.end('a')
    runFrame()
    expect(live.get('a')).toBeNull()
  })

  test('that was not begun is not shown', () => {
    const { live, due } = setUp()
    live.setAnswer('a', { ...EMPTY_ANSWER, text: 'x' })
    live.setPhase('a', 'stopping')
    expect([due.length, live.get('a')]).toEqual([0, null])
  })
})
