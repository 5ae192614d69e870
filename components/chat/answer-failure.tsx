import { useTranslations } from 'next-intl'
import { useErrorText } from '@/components/shell/use-error-text'
import { CONNECTION_LOST, REST_LOST } from '@/lib/exchange/client/answer'
import type { Message } from '@/lib/local/domain/conversation'
import styles from './message.module.css'

/** Why the answer did not come, or not to its end, and what to do. */
export function AnswerFailure({ message }: { message: Message }) {
  const t = useTranslations('chat')
  const errorText = useErrorText()
  const code = message.error_code ?? 'unknown'
  const text =
    code === CONNECTION_LOST.code
      ? t('connectionLost')
      : code === REST_LOST.code
        ? t('restLost')
        : errorText(code)
  return (
    <p className={styles.failure} role="alert">
      {text}
    </p>
  )
}
