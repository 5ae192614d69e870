import { useTranslations } from 'next-intl'
import { TOP_UP_AND_RETURN } from '@/components/credit/top-up/return-path'
import { useBalance } from '@/components/credit/use-balance'
import { useStore } from '@/components/ui/use-store'
import { Link } from '@/lib/i18n/navigation'
import { virtualApiKeyStore } from '@/lib/local/virtual-api-key'
import styles from './empty-state.module.css'

const EXAMPLES = ['exampleExplain', 'exampleWrite', 'examplePlan'] as const

/** Where the account page offers to turn it into credit. */
const LEGACY_KEY = '/account#legacy-key'

/** A new chat says what to do next: put in a dollar, or ask. */
export function EmptyState({ onExample }: { onExample: (text: string) => void }) {
  const t = useTranslations('chat')
  const { balanceUsd, loading } = useBalance()
  const hasLegacyKey = useStore(virtualApiKeyStore) !== null
  return (
    <div className={styles.empty}>
      <h2 className={styles.title}>{t('emptyTitle')}</h2>
      <p className={styles.lead}>{t('emptyText')}</p>
      <p className={styles.credit} data-hidden={loading}>
        {balanceUsd > 0
          ? t('emptyReady')
          : t.rich(hasLegacyKey ? 'emptyLegacyKey' : 'emptyCredit', {
              link: text => <Link href={hasLegacyKey ? LEGACY_KEY : TOP_UP_AND_RETURN}>{text}</Link>,
            })}
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
