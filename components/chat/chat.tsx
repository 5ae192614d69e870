'use client'

import { MessageSquarePlus, PanelLeft } from 'lucide'
import { useTranslations } from 'next-intl'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { conversationDataStore } from '@/components/shell/conversation-data'
import { Dialog } from '@/components/ui/dialog'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { useStore } from '@/components/ui/use-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import styles from './chat.module.css'
import { Composer } from './composer'
import { ConversationNav } from './conversation-nav'
import { EmptyState } from './empty-state'
import { startNewChat } from './select-conversation'
import { useAsk } from './use-ask'
import { useChosenModel } from './use-chosen-model'
import { useDraft } from './use-draft'
import { useEstimate } from './use-estimate'
import { useKeyboardHeight } from './use-keyboard-height'
import { useModels } from './use-models'
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
  const estimate = useEstimate(model, conversation, draft)
  const { shortage, send, retry } = useAsk(conversation, model, estimate)
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
          estimate={estimate}
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
