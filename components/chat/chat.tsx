'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { PromptDialogs } from '@/components/prompts/prompt-dialogs'
import { InBar } from '@/components/shell/bar'
import { conversationDataStore } from '@/components/shell/conversation-data'
import { focusMessageBox, hasCoarsePointer } from '@/components/ui/focus'
import { lazyPart } from '@/components/ui/lazy-part'
import { useStore } from '@/components/ui/use-store'
import type { CuratedIds } from '@/lib/catalogue/domain/curated-roles'
import { conversationTitle } from '@/lib/local/conversations/conversation-text'
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
import { type Draft, draftStore, EMPTY_DRAFT, NEW_CHAT } from './draft-store'
import { EmptyHead, Suggestions } from './empty-state'
import { exchangeParts } from './exchange-parts'
import { ModelPicker } from './model-picker'
import { pageExchanges } from './page-exchanges'
import { PlainMessages } from './plain-messages'
import { messageQueueStore } from './queue/queue-store'
import { useQueue } from './queue/use-queue'
import { startNewChat } from './select-conversation'
import { newChatSteering } from './steering-store'
import { useAsk } from './use-ask'
import { type ModelChoice, rememberChoice, useChosenModel } from './use-chosen-model'
import { useConversationAddress } from './use-conversation-address'
import { useModels } from './use-models'
import { useNextMessage } from './use-next-message'

const importAskQuestion = () => import('./ask-question')
const importMessageList = () => import('./message-list')
const importQueue = () => import('./queue/run-queue')
const importQueuedMessages = () => import('./queue/queued-messages')
exchangeParts.bring = importAskQuestion

/** Markdown and all that belongs to answers arrives while the first message is typed, not with the page. */
const MessageList = lazyPart(async () => (await importMessageList()).MessageList)

/** Arrives with the first message that is queued. */
const QueuedMessages = lazyPart(async () => (await importQueuedMessages()).QueuedMessages, 'with-error')

interface ChatProps {
  appName: string
  /** What a page of this site is called that has no name of its own. */
  siteTitle: string
  /** What the operator offers first in the picker of models. */
  curatedIds?: CuratedIds | null
}

/** The chat: what is said, the composer under the thumb, the model in the bar above. */
export function Chat({ appName, siteTitle, curatedIds = null }: ChatProps) {
  const t = useTranslations('chat')
  const addressState = useConversationAddress()
  useKeyboardHeight()
  useFocusAtFirst()
  usePreparedMoney()
  const conversation = useStore(selectedConversationStore)
  useUnfinishedAnswers(conversation)
  usePageTitle(conversation, appName, siteTitle)
  const modelList = useModels()
  const [model, setModel] = useChosenModel(modelList.models, conversation)
  const [draft, setDraft] = useDraft(conversation?.id ?? null)
  const chooseModel = (modelId: string) => {
    setModel(modelId)
    focusMessageBox()
  }
  const compared = useComparedModels(draft.comparedIds, modelList.models)
  const asked = asOneModel(compared) ?? model
  const compare = (modelIds: readonly string[]) => {
    const { comparedIds: _, ...rest } = draft
    const [first, second] = modelIds
    if (first !== undefined && second === undefined) setModel(first)
    setDraft(second === undefined ? rest : { ...rest, comparedIds: modelIds })
    focusMessageBox()
  }
  const choice: ModelChoice = { model: asked, compared, choose: chooseModel, compare }
  // What the next message goes on from.
  const closed = useMemo(() => conversation && closeComparison(conversation), [conversation])
  const next = useNextMessage(asked, closed, draft, compared)
  const asking = useAsk(conversation ?? draft)
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
    // What follows was meant to follow the whole of it.
    if (queue) messageQueueStore.update(queue.conversationId, known => ({ ...known, heldBy: 'stopped' }))
    for (const id of runningIds) pageExchanges.stop(id)
    // The button that stops goes away.
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
    // Fetched before it is wanted, for a network that goes away meanwhile; what is asked is shown first.
    return whenIdle(() => void Promise.all([importQueue(), importQueuedMessages()]).catch(() => {}), 500)
  }, [mayQueue])

  return (
    <section
      className={hasMessages || addressState === 'opening' ? styles.chat : `${styles.chat} ${styles.empty}`}
      aria-label={t('chat')}
      data-fills-window
    >
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
          // What each of several would cost is said above the box.
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

/** A new chat that is told something first, with a model of its own or the last one chosen. */
function startSteered(steering: Steering, modelId: string | null): void {
  startNewChat()
  newChatSteering.set(steering)
  if (modelId !== null) rememberChoice(modelId)
  focusMessageBox()
}

/** Fetches the rest of every unfinished answer. */
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

/** The page is called as the conversation is: in tabs, in the browser's history, and to nobody else. */
function usePageTitle(conversation: Conversation | null, appName: string, siteTitle: string): void {
  const name = conversation ? conversationTitle(conversation) : ''
  useLayoutEffect(() => {
    document.title = name === '' ? siteTitle : `${name} · ${appName}`
    if (name === '') return
    // What the server calls the page may arrive after this.
    const observer = new MutationObserver(() => {
      if (document.title === siteTitle) document.title = `${name} · ${appName}`
    })
    observer.observe(document.head, { childList: true, subtree: true, characterData: true })
    return () => observer.disconnect()
  }, [name, appName, siteTitle])
}

/**
 * A browser's first formatter of numbers takes it as long as this whole screen does. It is made in a task of
 * its own while the models are on their way, and not in the one that shows their prices.
 */
function usePreparedMoney(): void {
  const locale = useLocale()
  useEffect(() => {
    const timer = setTimeout(() => roundMoney(0, locale))
    return () => clearTimeout(timer)
  }, [locale])
}

/** A visit begins with writing, unless something else has been used already or a keyboard would cover the page. */
function useFocusAtFirst(): void {
  useEffect(() => {
    if (!hasCoarsePointer() && document.activeElement === document.body) focusMessageBox()
  }, [])
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
 * Tells the styles how much of the window an on-screen keyboard covers. iOS lays the page out as if there
 * were none; elsewhere the window itself gets smaller, and the difference is zero.
 */
function useKeyboardHeight(): void {
  useEffect(() => {
    const viewport = window.visualViewport
    if (!viewport) return
    const { style } = document.documentElement
    const update = () => {
      // Zooming makes the visual viewport smaller, too, but covers nothing.
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
