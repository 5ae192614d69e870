import { useTranslations } from 'next-intl'
import { memo } from 'react'
import { type Message, messageText, picturesOf } from '@/lib/local/domain/conversation'
import { AnswerFooter } from './answer-footer'
import { AnswerReasoning } from './answer-reasoning'
import { DrawnPicture } from './drawn-picture'
import { Markdown } from './markdown/markdown'
import styles from './message.module.css'
import { useLiveAnswer } from './use-live-answer'

interface AssistantMessageProps {
  message: Message
  modelName: string | null
  /** Null where asking again makes no sense: further up, or while an answer is on its way. */
  onRetry: ((answerId: string) => void) | null
}

export const AssistantMessage = memo(function AssistantMessage(props: AssistantMessageProps) {
  const { message, modelName, onRetry } = props
  const t = useTranslations('chat')
  const live = useLiveAnswer(message.id ?? '')
  const isStreaming = live !== null || message.status === 'streaming'
  const stored = messageText(message)
  // While an answer is fetched anew after a reload, what was already read stays in place.
  const text = live && live.answer.text.length >= stored.length ? live.answer.text : stored
  const reasoning = live?.answer.reasoning || message.reasoning || ''
  return (
    <article className={styles.assistant} aria-label={t('assistantMessage')} aria-busy={isStreaming}>
      {reasoning !== '' && <AnswerReasoning text={reasoning} isOpen={isStreaming && text === ''} />}
      {text !== '' && <Markdown text={text} streaming={isStreaming} />}
      {picturesOf(message).map(url => (
        <DrawnPicture key={url} url={url} />
      ))}
      <AnswerFooter
        message={message}
        text={text}
        modelName={modelName}
        phase={live?.phase ?? (isStreaming ? 'reconnecting' : null)}
        isDrawing={live?.kind === 'image'}
        onRetry={onRetry}
      />
    </article>
  )
})
