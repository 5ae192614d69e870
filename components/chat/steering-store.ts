import { useStore } from '@/components/ui/use-store'
import type { Steered } from '@/lib/exchange/client/outgoing'
import { isObject } from '@/lib/http/domain/is-object'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import type { Conversation } from '@/lib/local/domain/conversation'
import { soundFields } from '@/lib/local/domain/field-checks'
import { STEERING_CHECKS, type Steering, steeringOf } from '@/lib/local/domain/steering'
import { createListeners } from '@/lib/local/storage/external-store'
import { parseStored } from '@/lib/local/storage/json'
import { keepInTab, keptInTab } from '@/lib/local/storage/storage-area'
import { NEW_CHAT_STEERING_KEY } from '@/lib/local/storage/storage-keys'

const NONE: Steering = {}

/** The steering of a chat that does not exist yet; like its draft, it is kept for as long as the tab exists. */
function createNewChatSteering() {
  const { subscribe, notify } = createListeners()
  let steering: Steering | null = null
  return {
    subscribe,
    getSnapshot: (): Steering => {
      steering ??= read()
      return steering
    },
    getServerSnapshot: () => NONE,
    set(next: Steering): void {
      steering = next
      // Without room it is kept in memory, for as long as the page lives.
      keepInTab(NEW_CHAT_STEERING_KEY, JSON.stringify(next))
      notify()
    },
  }
}

function read(): Steering {
  const stored = parseStored(keptInTab(NEW_CHAT_STEERING_KEY))
  return isObject(stored) ? soundFields(stored, STEERING_CHECKS) : NONE
}

export const newChatSteering = createNewChatSteering()

/** The steering of a conversation's next answer (null for a new chat). */
export function useSteering(conversation: Conversation | null): Steered {
  const ofNewChat = useStore(newChatSteering)
  return conversation ?? ofNewChat
}

/** Steers a conversation from now on (null for a new chat). */
export function steer(conversationId: string | null, steering: Steering): void {
  if (conversationId === null) newChatSteering.set(steering)
  else conversationStore.change(conversationId, known => ({ ...known, ...steeringOf(steering) }))
}

/** Sets how many messages before a question are sent along; undefined for the general setting. */
export function sendEarlier(conversationId: string, countMax: number | undefined): void {
  conversationStore.change(conversationId, known => ({
    ...known,
    earlier_messages_max: countMax,
  }))
}
