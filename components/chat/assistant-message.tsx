import { Download } from 'lucide'
import { useTranslations } from 'next-intl'
import { memo, useCallback } from 'react'
import { Button } from '@/components/ui/button'
import { Icon } from '@/components/ui/icon'
import { useStore } from '@/components/ui/use-store'
import type { LiveAnswer } from '@/lib/exchange/client/live-answers'
import { documentsOf, type Message, messageText, picturesOf } from '@/lib/local/domain/conversation'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { AnswerReasoning, AnswerSources, AnswerTools } from './answer-extras'
import { AnswerFooter, isPhaseHeard } from './answer-footer'
import { Markdown } from './markdown/markdown'
import styles from './message.module.css'
import { liveAnswers } from './page-exchanges'
import { savePicture } from './save-picture'
import { SentDocument } from './sent-document'
import { StoredPicture } from './stored-picture'
import type { TurnActions } from './turn-actions'

interface AssistantMessageProps {
  message: Message
  /** What it is kept as, where it was carried on; what is still on its way comes into the last. */
  parts?: readonly Message[]
  modelName: string | null
  /** Decimal dollars for a token that it writes; null where its price is not known any more. */
  outputPrice?: string | null
  /** Nothing has been said after it. */
  isLast: boolean
  /** All that stand in its place; null where there is no other. */
  versions: readonly string[] | null
  /** False as long as nobody has come near. */
  hasButtons?: boolean
  /** Null while an answer is on its way. */
  actions: TurnActions | null
}

export const AssistantMessage = memo(function AssistantMessage(props: AssistantMessageProps) {
  const { message, parts = [], modelName, outputPrice = null, isLast, versions } = props
  const { hasButtons = true, actions } = props
  const t = useTranslations('chat')
  const last = parts.at(-1) ?? message
  const live = useLiveAnswer(last.id ?? '')
  const isStreaming = live !== null || last.status === 'streaming'
  const phase = live?.phase ?? (isStreaming ? 'connecting' : null)
  const stored = messageText(last)
  // While an answer is fetched anew after a reload, what was already read stays in place.
  const written = live && live.answer.text.length >= stored.length ? live.answer.text : stored
  const text = `${parts.slice(0, -1).map(messageText).join('')}${written}`
  const reasoning = live?.answer.reasoning || message.reasoning || ''
  return (
    <article
      className={styles.assistant}
      aria-label={t('assistantMessage')}
      // What is said in something busy is held back.
      aria-busy={isStreaming && !isPhaseHeard(phase)}
      tabIndex={-1}
      data-message={message.id}
    >
      {reasoning !== '' && (
        <AnswerReasoning
          message={message}
          text={reasoning}
          isOpen={isStreaming && text === ''}
          outputPrice={outputPrice}
        />
      )}
      <AnswerTools {...message} />
      {text !== '' && <Markdown text={text} streaming={isStreaming} />}
      {picturesOf(message).map(url => (
        <DrawnPicture key={url} url={url} />
      ))}
      {documentsOf(message).map(document => (
        <SentDocument key={document.url} document={document} />
      ))}
      <AnswerSources {...message} />
      <AnswerFooter
        message={message}
        parts={parts}
        text={text}
        modelName={modelName}
        phase={phase}
        isDrawing={live?.kind === 'image'}
        isLast={isLast}
        versions={versions}
        hasButtons={hasButtons}
        actions={actions}
      />
    </article>
  )
})

/** A picture that a model drew, and the way to keep it outside of this browser. */
function DrawnPicture({ url }: { url: string }) {
  const t = useTranslations('chat')
  const save = async () => {
    if (!(await savePicture(url))) noticeStore.show('error', t('pictureGone'))
  }
  // One that is only on the web is its host's; the browser's own menu saves it.
  const isHere = !/^https?:/i.test(url)
  return (
    <div className={styles.drawn}>
      <StoredPicture url={url} alt={t('drawnPicture')} />
      {isHere && (
        <Button variant="quiet" size="small" onClick={() => void save()}>
          <Icon icon={Download} size={16} />
          {t('savePicture')}
        </Button>
      )}
    </div>
  )
}

/** What is on its way to this message; null when nothing is. Only the caller renders as it grows. */
function useLiveAnswer(messageId: string): LiveAnswer | null {
  const subscribe = useCallback(
    (listener: () => void) => liveAnswers.subscribe(messageId, listener),
    [messageId],
  )
  return useStore<LiveAnswer | null>({
    subscribe,
    getSnapshot: () => liveAnswers.get(messageId),
    getServerSnapshot: () => null,
  })
}
