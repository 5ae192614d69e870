import type { CallErrorCode } from '@/lib/http/domain/error-codes'

export type PlayerStatus = 'idle' | 'loading' | 'playing' | 'paused' | 'ended' | 'failed'

/** The state of the page's only player. */
export interface PlayerState {
  readonly status: PlayerStatus
  /** The message being read, or read last; null at first and after a stop. */
  readonly messageId: string | null
  /** How much of the whole has been played, in whole percent. */
  readonly percent: number
  /** Why it failed: `playback` if the browser cannot play the sound; otherwise null. */
  readonly errorCode: SpeechErrorCode | null
}

export type SpeechErrorCode = CallErrorCode | 'playback'

export type PlayerEvent =
  | { type: 'start'; messageId: string }
  /** The next piece is not there yet. */
  | { type: 'load' }
  | { type: 'play' }
  | { type: 'pause' }
  | { type: 'move'; percent: number }
  | { type: 'end' }
  | { type: 'fail'; errorCode: SpeechErrorCode }
  | { type: 'stop' }

export const IDLE_PLAYER: PlayerState = { status: 'idle', messageId: null, percent: 0, errorCode: null }

const ACTIVE = ['loading', 'playing', 'paused'] as const

/** The states in which an event has an effect; `start` and `stop` always do. */
const MEANINGFUL_IN: Record<Exclude<PlayerEvent['type'], 'start' | 'stop'>, readonly PlayerStatus[]> = {
  load: ['playing'],
  play: ['loading', 'paused'],
  // Directly from loading, because the browser may refuse to start without a tap.
  pause: ['playing', 'loading'],
  move: ['playing'],
  end: ['playing', 'loading'],
  fail: ACTIVE,
}

/** Returns the same object if the event changes nothing, so that nothing is rendered again. */
export function reducePlayer(state: PlayerState, event: PlayerEvent): PlayerState {
  switch (event.type) {
    case 'start':
      return { ...IDLE_PLAYER, status: 'loading', messageId: event.messageId }
    case 'stop':
      return state === IDLE_PLAYER ? state : IDLE_PLAYER
    default:
      return MEANINGFUL_IN[event.type].includes(state.status) ? advance(state, event) : state
  }
}

function advance(state: PlayerState, event: Exclude<PlayerEvent, { type: 'start' | 'stop' }>): PlayerState {
  switch (event.type) {
    case 'load':
      return { ...state, status: 'loading' }
    case 'play':
      return { ...state, status: 'playing' }
    case 'pause':
      return { ...state, status: 'paused' }
    case 'move': {
      const percent = Math.max(state.percent, Math.min(100, Math.floor(event.percent)))
      return percent === state.percent ? state : { ...state, percent }
    }
    case 'end':
      return { ...state, status: 'ended', percent: 100 }
    case 'fail':
      return { ...state, status: 'failed', errorCode: event.errorCode }
  }
}
