'use client'

import { MessageSquarePlus, PanelLeft } from 'lucide'
import { useTranslations } from 'next-intl'
import { lazy, type RefObject, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { conversationDataStore } from '@/components/shell/conversation-data'
import { Dialog } from '@/components/ui/dialog'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { useStore } from '@/components/ui/use-store'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import type { Conversation } from '@/lib/local/domain/conversation'
import { createListeners } from '@/lib/local/storage/external-store'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import styles from './chat.module.css'
import type { ChatModel } from './chat-model'
import { Composer } from './composer'
import { ConversationNav } from './conversation-nav'
import { type Draft, draftStore, EMPTY_DRAFT, NEW_CHAT } from './draft-store'
import { EmptyState } from './empty-state'
import { startNewChat } from './select-conversation'
import { useAsk } from './use-ask'
import { useModels } from './use-models'
import { useNextMessage } from './use-next-message'
import { useStartUp } from './use-start-up'

/** Markdown and all that belongs to answers arrives with the first message, not with the page. */
const MessageList = lazy(async () => ({ default: (await import('./message-list')).MessageList }))

/** The chat: conversations beside it, answers above, the composer under the thumb. */
export function Chat() {
  const t = useTranslations('chat')
  useStartUp()
  const frameRef = useRef<HTMLDivElement>(null)
  useKeyboardHeight(frameRef)
  const [isDrawerOpen, setDrawerOpen] = useState(false)
  const conversation = useStore(selectedConversationStore)
  const modelList = useModels()
  const [model, chooseModel] = useChosenModel(modelList.models, conversation)
  const [draft, setDraft] = useDraft(conversation?.id ?? null)
  const next = useNextMessage(model, conversation, draft)
  const { shortage, send, retry } = useAsk(conversation, model, next.estimate)
  const hasMessages = conversation !== null && conversation.messages.length > 0
  useEffect(() => {
    if (hasMessages) conversationDataStore.set(true)
  }, [hasMessages])

  return (
    <div ref={frameRef} className={styles.chat}>
      <div className={styles.sidebar}>
        <ConversationNav />
      </div>
      <section className={styles.column} aria-label={t('chat')}>
        <div className={styles.bar}>
          <IconButton
            label={t('openConversations')}
            icon={<Icon icon={PanelLeft} size={20} />}
            onClick={() => setDrawerOpen(true)}
          />
          <IconButton
            label={t('newChat')}
            icon={<Icon icon={MessageSquarePlus} size={20} />}
            onClick={startNewChat}
          />
        </div>
        {hasMessages ? (
          <Suspense fallback={<div className={styles.loading} />}>
            <MessageList
              key={conversation.id}
              conversation={conversation}
              models={modelList.models}
              next={next}
              onRetry={answerId => void retry(answerId)}
            />
          </Suspense>
        ) : (
          <EmptyState onExample={text => setDraft({ ...draft, text })} />
        )}
        <Composer
          conversation={conversation}
          draft={draft}
          onDraft={setDraft}
          model={model}
          modelList={modelList}
          onModel={chooseModel}
          next={next}
          shortage={shortage}
          onSend={send}
        />
      </section>
      <Dialog open={isDrawerOpen} onClose={() => setDrawerOpen(false)} title={t('conversations')}>
        <ConversationNav inDrawer onOpened={() => setDrawerOpen(false)} />
      </Dialog>
    </div>
  )
}

const LAST_CHOICE_KEY = 'selectedModel'
const lastChoiceListeners = createListeners()
const lastChoiceStore = {
  subscribe: lastChoiceListeners.subscribe,
  getSnapshot: () => guardedStorage.read(LAST_CHOICE_KEY),
  getServerSnapshot: () => null,
}

/** The conversation's model, else the last one chosen, else the operator's first; null while unknown. */
function useChosenModel(
  models: readonly ChatModel[],
  conversation: Conversation | null,
): [ChatModel | null, (modelId: string) => void] {
  const lastChoice = useStore(lastChoiceStore)
  const find = (id: string | null | undefined) => models.find(model => model.id === id)
  const chosen = find(conversation?.model) ?? find(lastChoice) ?? models[0] ?? null

  const conversationId = conversation?.id
  const choose = useCallback(
    (modelId: string) => {
      guardedStorage.write(LAST_CHOICE_KEY, modelId)
      const current = conversationId === undefined ? null : conversationStore.get(conversationId)
      if (current) conversationStore.saveConversation({ ...current, model: modelId })
      lastChoiceListeners.notify()
    },
    [conversationId],
  )
  return [chosen, choose]
}

/** The draft of a conversation (null: a new chat) and how to change it. */
function useDraft(conversationId: string | null): [Draft, (draft: Draft) => void] {
  const id = conversationId ?? NEW_CHAT
  const draft = useStore({
    subscribe: draftStore.subscribe,
    getSnapshot: () => draftStore.get(id),
    getServerSnapshot: () => EMPTY_DRAFT,
  })
  const setDraft = useCallback((next: Draft) => draftStore.set(id, next), [id])
  return [draft, setDraft]
}

/**
 * Tells an element's styles how much of the window an on-screen keyboard covers. iOS lays the page out as
 * if there were none; elsewhere the window itself gets smaller, and the difference is zero.
 */
function useKeyboardHeight(ref: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const viewport = window.visualViewport
    if (!viewport) return
    const update = () => {
      // Zooming makes the visual viewport smaller, too, but covers nothing.
      const covered = viewport.scale > 1 ? 0 : Math.max(0, window.innerHeight - viewport.height)
      ref.current?.style.setProperty('--keyboard-height', `${Math.round(covered)}px`)
    }
    viewport.addEventListener('resize', update)
    return () => viewport.removeEventListener('resize', update)
  }, [ref])
}
