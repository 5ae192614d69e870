import { useTranslations } from 'next-intl'
import { RequestProblem } from '@/components/account/request-problem'
import styles from './legacy-key.module.css'

/** Why the key could not be turned into credit, and what can be done instead. */
export function TurnProblem({ errorCode }: { errorCode: string | null }) {
  const t = useTranslations('legacyKey')
  if (errorCode !== 'forbidden' && errorCode !== 'conflict') return <RequestProblem errorCode={errorCode} />
  return (
    <p role="alert" className={styles.problem}>
      {errorCode === 'conflict'
        ? t('already')
        : t.rich('heldElsewhere', { link: text => <a href="#restore">{text}</a> })}
    </p>
  )
}
