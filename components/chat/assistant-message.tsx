import { Download } from 'lucide'
import { useTranslations } from 'next-intl'
import { memo } from 'react'
import { Button } from '@/components/ui/button'
import { Icon } from '@/components/ui/icon'
import { documentsOf, isUnfinished, messageText, picturesOf } from '@/lib/local/domain/conversation'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { AnswerReasoning, AnswerSources, AnswerTools } from './answer-extras'
import { AnswerFooter, type AnswerFooterProps, isPhaseAnnounced } from './answer-footer'
import { Markdown } from './markdown/markdown'
import styles from './message.module.css'
import { savePicture } from './save-picture'
import { SentDocument } from './sent-document'
import { StoredPicture } from './stored-picture'
import { useLiveAnswer } from './use-live-answer'

interface AssistantMessageProps extends Omit<AnswerFooterProps, 'text' | 'phase' | 'isDrawing'> {
  /** Decimal dollars per output token; null if the price is no longer known. */
  outputPrice?: string | null
}

export const AssistantMessage = memo(function AssistantMessage(props: AssistantMessageProps) {
  const { message, parts = [], modelName, outputPrice = null, isLast, versions, actions } = props
  const t = useTranslations('chat')
  const last = parts.at(-1) ?? message
  const live = useLiveAnswer(last.id ?? '', live => live)
  const isStreaming = live !== null || last.status === 'streaming'
  const phase = live?.phase ?? (isStreaming ? 'connecting' : null)
  const stored = messageText(last)
  // While the answer is fetched again after a reload, the text that was already read stays.
  const written = live && live.answer.text.length >= stored.length ? live.answer.text : stored
  const text = `${parts.slice(0, -1).map(messageText).join('')}${written}`
  const reasoning = live?.answer.reasoning || message.reasoning || ''
  const isCut = isUnfinished(last)
  return (
    <article
      className={styles.assistant}
      aria-label={t('assistantMessage')}
      // Screen readers do not announce changes in a busy element.
      aria-busy={isStreaming && !isPhaseAnnounced(phase)}
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
      {text !== '' && <Markdown text={text} streaming={isStreaming} isCut={isCut} />}
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
        actions={actions}
      />
    </article>
  )
})

/** A picture that a model drew, with a button to save it. */
function DrawnPicture({ url }: { url: string }) {
  const t = useTranslations('chat')
  const save = async () => {
    if (!(await savePicture(url))) noticeStore.show('error', t('pictureGone'))
  }
  // A picture on the web belongs to its host; the browser's own menu can save it.
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
