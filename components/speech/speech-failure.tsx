import { useTranslations } from 'next-intl'
import { TOP_UP_AND_RETURN } from '@/components/chat/top-up-path'
import { useErrorText } from '@/components/shell/use-error-text'
import { Link } from '@/lib/i18n/navigation'
import { PLAYBACK_FAILED } from '@/lib/speech/client/speech-player'
import styles from './read-aloud.module.css'

/** Why the answer cannot be heard, and what to do. */
export function SpeechFailure({ errorCode }: { errorCode: string }) {
  const t = useTranslations('speech')
  const errorText = useErrorText()
  if (errorCode === 'insufficient_credit') {
    return (
      <p className={styles.failure} role="alert">
        {t.rich('tooLittle', { link: chunks => <Link href={TOP_UP_AND_RETURN}>{chunks}</Link> })}
      </p>
    )
  }
  return (
    <p className={styles.failure} role="alert">
      {errorCode === PLAYBACK_FAILED ? t('cannotPlay') : errorText(errorCode)}
    </p>
  )
}
