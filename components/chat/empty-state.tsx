import { useTranslations } from 'next-intl'
import { useBalance } from '@/components/credit/use-balance'
import { Link } from '@/lib/i18n/navigation'
import styles from './empty-state.module.css'
import { TOP_UP_AND_RETURN } from './top-up-path'

const EXAMPLES = ['exampleExplain', 'exampleWrite', 'examplePlan'] as const

/** A new chat says what to do next: put in a dollar, or ask. */
export function EmptyState({ onExample }: { onExample: (text: string) => void }) {
  const t = useTranslations('chat')
  const { balanceUsd, loading } = useBalance()
  return (
    <div className={styles.empty}>
      <h2 className={styles.title}>{t('emptyTitle')}</h2>
      <p className={styles.lead}>{t('emptyText')}</p>
      <p className={styles.credit} data-hidden={loading}>
        {balanceUsd === 0
          ? t.rich('emptyCredit', { link: text => <Link href={TOP_UP_AND_RETURN}>{text}</Link> })
          : t('emptyReady')}
      </p>
      <ul className={styles.examples}>
        {EXAMPLES.map(example => (
          <li key={example}>
            <button type="button" className={styles.example} onClick={() => onExample(t(example))}>
              {t(example)}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
