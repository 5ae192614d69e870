import { useCallback } from 'react'
import { useStore } from '@/components/ui/use-store'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import type { Conversation } from '@/lib/local/domain/conversation'
import { createListeners } from '@/lib/local/storage/external-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { SELECTED_MODEL_KEY } from '@/lib/local/storage/storage-keys'
import type { ChatModel } from './chat-model'

const lastChoiceListeners = createListeners()
const lastChoiceStore = {
  subscribe: lastChoiceListeners.subscribe,
  getSnapshot: () => guardedStorage.read(SELECTED_MODEL_KEY),
  getServerSnapshot: () => null,
}

export function rememberChoice(modelId: string): void {
  guardedStorage.write(SELECTED_MODEL_KEY, modelId)
  lastChoiceListeners.notify()
}

/** The model that is asked next, and how to choose another. */
export interface ModelChoice {
  /** With several models, a stand-in for all of them. */
  readonly model: ChatModel | null
  /** What was chosen, if it is not in the list of models, so that another takes its place. */
  readonly missingId: string | null
  /** The models that will answer side by side; empty for a single model. */
  readonly compared: readonly ChatModel[]
  readonly choose: (modelId: string) => void
  /** An empty list returns to a single model. */
  readonly compare: (modelIds: readonly string[]) => void
}

/** The conversation's model, else the last one chosen, else the operator's first; null while unknown. */
export function useChosenModel(
  models: readonly ChatModel[],
  conversation: Conversation | null,
): Pick<ModelChoice, 'model' | 'missingId' | 'choose'> {
  const lastChoice = useStore(lastChoiceStore)
  const find = (id: string | null | undefined) => models.find(model => model.id === id)
  const model = find(conversation?.model) ?? find(lastChoice) ?? models[0] ?? null
  const wantedId = conversation?.model ?? lastChoice

  const conversationId = conversation?.id
  const choose = useCallback(
    (modelId: string) => {
      conversationStore.change(conversationId ?? '', known => ({ ...known, model: modelId }))
      rememberChoice(modelId)
    },
    [conversationId],
  )
  return { model, missingId: model && !find(wantedId) ? wantedId : null, choose }
}
