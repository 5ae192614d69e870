import { useTranslations } from 'next-intl'
import styles from './message.module.css'

/** What the model thought before it spoke: there for who wants it, out of the way otherwise. */
export function AnswerReasoning({ text, isOpen }: { text: string; isOpen: boolean }) {
  const t = useTranslations('chat')
  return (
    <details className={styles.reasoning}>
      <summary>{isOpen ? t('thinking') : t('reasoning')}</summary>
      <p className={styles.reasoningText}>{text}</p>
    </details>
  )
}
