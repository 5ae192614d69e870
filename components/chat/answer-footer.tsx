import { RotateCcw } from 'lucide'
import dynamic from 'next/dynamic'
import { useTranslations } from 'next-intl'
import { useSettings } from '@/components/settings/use-settings'
import { SpokenPrice } from '@/components/speech/spoken-price'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Icon } from '@/components/ui/icon'
import type { ExchangePhase } from '@/lib/exchange/client/run-exchange'
import type { Message } from '@/lib/local/domain/conversation'
import { AnswerFailure } from './answer-failure'
import { AnswerPrice } from './answer-price'
import styles from './message.module.css'

/** Its code, and what the site can read with, are fetched with the first answer of somebody who wants it. */
const ReadAloud = dynamic(async () => (await import('@/components/speech/read-aloud')).ReadAloud)

interface AnswerFooterProps {
  message: Message
  /** As shown: what is copied. */
  text: string
  modelName: string | null
  /** Null once the answer has ended. */
  phase: ExchangePhase | null
  onRetry: ((answerId: string) => void) | null
}

/** Below an answer: how it stands while it comes, and what it cost when it has. */
export function AnswerFooter({ message, text, modelName, phase, onRetry }: AnswerFooterProps) {
  const t = useTranslations('chat')
  const { audioEnabled } = useSettings().settings
  if (phase !== null) {
    const isQuiet = phase === 'streaming' && text !== ''
    return (
      <footer className={styles.footer}>
        <span className={styles.phase} data-quiet={isQuiet}>
          {phase === 'streaming' || phase === 'connecting' || phase === 'drawing'
            ? t(phase === 'drawing' ? 'drawing' : 'waitingFor', { model: modelName ?? t('theModel') })
            : t(phase)}
        </span>
      </footer>
    )
  }
  const { id, status, finish_reason: finishReason } = message
  return (
    <>
      {status === 'failed' && <AnswerFailure message={message} />}
      {status === 'stopped' && <p className={styles.note}>{t('stopped')}</p>}
      {finishReason === 'length' && status === 'completed' && <p className={styles.note}>{t('cutOff')}</p>}
      <footer className={styles.footer}>
        {text !== '' && <CopyButton text={text} label={t('copyAnswer')} size="small" />}
        {onRetry && id !== undefined && (
          <Button variant="quiet" size="small" onClick={() => onRetry(id)}>
            <Icon icon={RotateCcw} size={16} />
            {t('tryAgain')}
          </Button>
        )}
        {text !== '' && audioEnabled && <ReadAloud message={message} text={text} />}
        <span className={styles.meta}>
          {modelName && <span className={styles.model}>{modelName}</span>}
          {message.speech_receipt && <SpokenPrice receipt={message.speech_receipt} />}
          <AnswerPrice message={message} />
        </span>
      </footer>
    </>
  )
}
