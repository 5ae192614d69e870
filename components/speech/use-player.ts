import { useSyncExternalStore } from 'react'
import { IDLE_PLAYER, type PlayerState } from '@/lib/speech/domain/player-state'
import { speechPlayer } from './page-speech'

/** What the page's player does with this message; idle while it reads another one. */
export function usePlayer(messageId: string): PlayerState {
  const ownState = () => {
    const state = speechPlayer.getSnapshot()
    return state.messageId === messageId ? state : IDLE_PLAYER
  }
  return useSyncExternalStore(speechPlayer.subscribe, ownState, () => IDLE_PLAYER)
}
