import { useStore } from '@/components/ui/use-store'
import { IDLE_PLAYER, type PlayerState } from '@/lib/speech/domain/player-state'
import { speechPlayer } from './page-speech'

const player = {
  subscribe: speechPlayer.subscribe,
  getSnapshot: speechPlayer.getSnapshot,
  getServerSnapshot: () => IDLE_PLAYER,
}

/** What the page's player does with this message; idle while it reads another one. */
export function usePlayer(messageId: string): PlayerState {
  return useStore(player, state => (state.messageId === messageId ? state : IDLE_PLAYER))
}
