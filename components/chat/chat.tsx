'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useEffect, useMemo, useRef, useState } from 'react'
import { PromptDialogs } from '@/components/prompts/prompt-dialogs'
import { InBar } from '@/components/shell/bar'
import { conversationDataStore } from '@/components/shell/conversation-data'
import { focusMessageBox, hasCoarsePointer } from '@/components/ui/focus'
import { lazyPart } from '@/components/ui/lazy-part'
import { useStore } from '@/components/ui/use-store'
import type { CuratedIds } from '@/lib/catalogue/domain/curated-roles'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { closeComparison, runningAnswers } from '@/lib/local/domain/comparisons'
import type { Conversation } from '@/lib/local/domain/conversation'
import type { Steering } from '@/lib/local/domain/steering'
import { allMessages } from '@/lib/local/domain/turns'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { whenIdle } from '@/lib/local/when-idle'
import { roundMoney } from '@/lib/money/format-money'
import styles from './chat.module.css'
import { asOneModel, useComparedModels } from './compare/compared-models'
import { Composer } from './composer'
import { EMPTY_DRAFT } from './draft-store'
import { EmptyHead, Suggestions } from './empty-state'
import { exchangeParts } from './exchange-parts'
import { ModelPicker } from './model-picker'
import { pageExchanges } from './page-exchanges'
import { PageTitle } from './page-title'
import { PlainMessages } from './plain-messages'
import { messageQueueStore } from './queue/queue-store'
import { useQueue } from './queue/use-queue'
import { startNewChat } from './select-conversation'
import { newChatSteering } from './steering-store'
import { useAsk } from './use-ask'
import { type ModelChoice, rememberChoice, useChosenModel } from './use-chosen-model'
import { useConversationAddress } from './use-conversation-address'
import { useDraft } from './use-draft'
import { useModels } from './use-models'
import { useNextMessage } from './use-next-message'

const importAskQuestion = () => import('./ask-question')
const importMessageList = () => import('./message-list')
const importQueue = () => import('./queue/run-queue')
const importQueuedMessages = () => import('./queue/queued-messages')
exchangeParts.load = importAskQuestion

/** Loaded while the first message is typed, not with the page, since it includes all of Markdown. */
const MessageList = lazyPart(async () => (await importMessageList()).MessageList)

/** Loaded with the first queued message. */
const QueuedMessages = lazyPart(async () => (await importQueuedMessages()).QueuedMessages, 'with-error')

interface ChatProps {
  appName: string
  /** The title of pages without a title of their own. */
  siteTitle: string
  /** The models that the operator recommends in the picker. */
  curatedIds?: CuratedIds | null
}

/** The chat: messages, the composer below, the model in the bar above. */
export function Chat({ appName, siteTitle, curatedIds = null }: ChatProps) {
  const t = useTranslations('chat')
  const addressState = useConversationAddress()
  useKeyboardHeight()
  useFocusAtFirst()
  usePreparedMoney()
  const conversation = useStore(selectedConversationStore)
  useUnfinishedAnswers(conversation)
  const modelList = useModels()
  const { model, missingId, choose } = useChosenModel(modelList.models, conversation)
  const [draft, setDraft] = useDraft(conversation?.id ?? null)
  const chooseModel = (modelId: string) => {
    choose(modelId)
    focusMessageBox()
  }
  const compared = useComparedModels(draft.comparedIds, modelList.models)
  const asked = asOneModel(compared) ?? model
  const compare = (modelIds: readonly string[]) => {
    const { comparedIds: _, ...rest } = draft
    const [first, second] = modelIds
    if (first !== undefined && second === undefined) choose(first)
    setDraft(second === undefined ? rest : { ...rest, comparedIds: modelIds })
    focusMessageBox()
  }
  const choice: ModelChoice = { model: asked, missingId, compared, choose: chooseModel, compare }
  // The conversation that the next message continues.
  const closed = useMemo(() => conversation && closeComparison(conversation), [conversation])
  const next = useNextMessage(asked, closed, draft, compared)
  const asking = useAsk(conversation ?? draft, `${asked?.id} ${draft.text}`)
  const runningIds = useMemo(() => (conversation ? runningAnswers(conversation) : []), [conversation])
  const isAnswering = runningIds.length > 0
  const queue = useQueue(conversation?.id ?? null)
  const send = () => {
    if (!model || !asked) return
    void asking.ask({
      model: asked,
      estimate: next.estimate,
      most: next.most,
      conversation,
      ask: async mostAccepted => {
        if (isAnswering && conversation) {
          const { queueMessage } = await importQueue()
          const message = { draft, model: asked, estimate: next.estimate }
          if (!queueMessage(conversation.id, message)) noticeStore.show('warning', t('queue.refused'))
          return null
        }
        if (compared.length === 0) {
          const { askQuestion } = await importAskQuestion()
          return askQuestion({ conversation, draft, model, mostAccepted })
        }
        const { askCompared } = await import('./compare/ask-compared')
        return askCompared({ conversation, draft, models: compared, priceOf: next.priceOf })
      },
    })
  }
  const stop = () => {
    // Queued messages were meant to follow the complete answer.
    if (queue) messageQueueStore.update(queue.conversationId, known => ({ ...known, heldBy: 'stopped' }))
    for (const id of runningIds) pageExchanges.stop(id)
    // The stop button disappears.
    focusMessageBox()
  }
  const hasMessages = conversation !== null && conversation.messages.length > 0
  const [wasShown, setWasShown] = useState(hasMessages)
  if (hasMessages && !wasShown) setWasShown(true)
  useEffect(() => {
    if (hasMessages) conversationDataStore.set(true)
  }, [hasMessages])
  const boxRef = useRef<HTMLTextAreaElement>(null)
  const isTyping = draft !== EMPTY_DRAFT
  useEffect(() => {
    if (isTyping) void Promise.allSettled([importMessageList(), importAskQuestion()])
  }, [isTyping])
  const mayQueue = isTyping || isAnswering
  useEffect(() => {
    if (!mayQueue) return
    // Loaded before it is needed, in case the network fails meanwhile; the question itself is shown first.
    return whenIdle(() => void Promise.all([importQueue(), importQueuedMessages()]).catch(() => {}), 500)
  }, [mayQueue])

  return (
    <section
      className={hasMessages || addressState === 'opening' ? styles.chat : `${styles.chat} ${styles.empty}`}
      aria-label={t('chat')}
      data-fills-window
    >
      <PageTitle conversation={conversation} appName={appName} siteTitle={siteTitle} />
      <InBar>
        <ModelPicker
          choice={choice}
          modelList={modelList}
          curatedIds={curatedIds}
          next={next}
          isBegun={conversation !== null || isTyping}
        />
      </InBar>
      {wasShown && (
        <MessageList
          fallback={hasMessages && <PlainMessages messages={conversation.messages} />}
          conversation={hasMessages ? conversation : null}
          model={model}
          models={modelList.models}
          next={next}
          ask={asking.ask}
        />
      )}
      {!hasMessages && <EmptyHead addressState={addressState} model={model} />}
      <PromptDialogs
        conversation={conversation}
        model={model}
        models={modelList.models}
        draft={draft}
        onDraft={setDraft}
        onModel={chooseModel}
        onStart={startSteered}
      />
      {queue && <QueuedMessages queue={queue} isAnswering={isAnswering} />}
      <Composer
        boxRef={boxRef}
        conversation={conversation}
        draft={draft}
        onDraft={setDraft}
        choice={choice}
        models={modelList.models}
        next={next}
        asking={asking}
        isAnswering={isAnswering}
        onSend={send}
        onStop={stop}
      />
      {!hasMessages && addressState === 'shown' && (
        <Suggestions
          models={modelList.models}
          // With several models, each price is shown above the message box.
          model={compared.length > 0 ? null : model}
          onModel={chooseModel}
          onChoose={text => {
            setDraft({ ...draft, text })
            boxRef.current?.focus()
          }}
        />
      )}
    </section>
  )
}

/** Starts a new chat with instructions, and with the given model or the last one chosen. */
function startSteered(steering: Steering, modelId: string | null): void {
  startNewChat()
  newChatSteering.set(steering)
  if (modelId !== null) rememberChoice(modelId)
  focusMessageBox()
}

/** Resumes every unfinished answer. */
function useUnfinishedAnswers(conversation: Conversation | null): void {
  useEffect(() => void pageExchanges.resumeAll().catch(() => undefined), [])
  useEffect(() => {
    for (const { id, status } of conversation ? allMessages(conversation) : []) {
      if (conversation && id !== undefined && status === 'streaming') {
        pageExchanges.lookAfter(conversation.id, id).catch(() => undefined)
      }
    }
  }, [conversation])
}

/**
 * The first number formatter of a page takes the browser as long as rendering this whole screen. It is created in a
 * task of its own while the models load, so that showing their prices is not delayed.
 */
function usePreparedMoney(): void {
  const locale = useLocale()
  useEffect(() => {
    const timer = setTimeout(() => roundMoney(0, locale))
    return () => clearTimeout(timer)
  }, [locale])
}

/**
 * Focuses the message box when the page opens, unless something else has the focus or an on-screen keyboard would open.
 */
function useFocusAtFirst(): void {
  useEffect(() => {
    if (!hasCoarsePointer() && document.activeElement === document.body) focusMessageBox()
  }, [])
}

/**
 * Tells the styles how much of the window an on-screen keyboard covers. iOS lays the page out as if there were no
 * keyboard; other browsers resize the window, and the difference is zero.
 */
function useKeyboardHeight(): void {
  useEffect(() => {
    const viewport = window.visualViewport
    if (!viewport) return
    const { style } = document.documentElement
    const update = () => {
      // Zooming shrinks the visual viewport too, but covers nothing.
      const covered = viewport.scale > 1 ? 0 : Math.max(0, window.innerHeight - viewport.height)
      style.setProperty('--keyboard-height', `${Math.round(covered)}px`)
    }
    viewport.addEventListener('resize', update)
    return () => {
      viewport.removeEventListener('resize', update)
      style.removeProperty('--keyboard-height')
    }
  }, [])
}
