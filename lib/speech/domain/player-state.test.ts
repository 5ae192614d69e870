import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { IDLE_PLAYER, type PlayerEvent, reducePlayer } from './player-state'

const after = (...events: PlayerEvent[]) => events.reduce(reducePlayer, IDLE_PLAYER)
const START: PlayerEvent = { type: 'start', messageId: 'one' }

describe('an event without meaning in a state', () => {
  test.each<[string, PlayerEvent[], PlayerEvent]>([
    ['play when idle', [], { type: 'play' }],
    ['pause when idle', [], { type: 'pause' }],
    ['an end while paused', [START, { type: 'play' }, { type: 'pause' }], { type: 'end' }],
    ['play after the end', [START, { type: 'play' }, { type: 'end' }], { type: 'play' }],
    [
      'a failure after the end',
      [START, { type: 'play' }, { type: 'end' }],
      { type: 'fail', errorCode: 'network' },
    ],
    ['a position while loading', [START], { type: 'move', percent: 40 }],
    ['a stop when idle', [], { type: 'stop' }],
  ])('%s returns the same state object', (_, before, event) => {
    const state = after(...before)
    expect(reducePlayer(state, event)).toBe(state)
  })
})

test('an answer that is paused once and played to its end passes through the expected states', () => {
  const events: PlayerEvent[] = [
    START,
    { type: 'play' },
    { type: 'pause' },
    { type: 'play' },
    { type: 'load' },
  ]
  const statuses = events.map((_, index) => after(...events.slice(0, index + 1)).status)
  expect(statuses).toEqual(['loading', 'playing', 'paused', 'playing', 'loading'])
  expect(after(...events, { type: 'play' }, { type: 'end' })).toEqual({
    status: 'ended',
    messageId: 'one',
    percent: 100,
    errorCode: null,
  })
})

test('another answer can start from any state, and clears an old failure', () => {
  const failed = after(START, { type: 'fail', errorCode: 'network' })
  expect(failed).toMatchObject({ status: 'failed', errorCode: 'network' })
  expect(reducePlayer(failed, { type: 'start', messageId: 'two' })).toEqual({
    status: 'loading',
    messageId: 'two',
    percent: 0,
    errorCode: null,
  })
})

const anyEvent: fc.Arbitrary<PlayerEvent> = fc.oneof(
  fc.constantFrom<PlayerEvent>(
    { type: 'load' },
    { type: 'play' },
    { type: 'pause' },
    { type: 'end' },
    { type: 'stop' },
    { type: 'fail', errorCode: 'network' },
  ),
  fc.record({ type: fc.constant('start' as const), messageId: fc.constantFrom('one', 'two') }),
  fc.record({ type: fc.constant('move' as const), percent: fc.integer({ min: -10, max: 200 }) }),
)

test('any sequence of events keeps a state consistent, and its position never goes back', () => {
  fc.assert(
    fc.property(fc.array(anyEvent), events => {
      let state = IDLE_PLAYER
      for (const event of events) {
        const next = reducePlayer(state, event)
        expect(next.messageId === null).toBe(next.status === 'idle')
        expect(next.errorCode !== null).toBe(next.status === 'failed')
        expect(next.percent).toBeGreaterThanOrEqual(
          event.type === 'start' || event.type === 'stop' ? 0 : state.percent,
        )
        expect(next.percent).toBeLessThanOrEqual(100)
        state = next
      }
    }),
  )
})
