import { useTranslations } from 'next-intl'
import { TOP_UP_AND_RETURN } from '@/components/credit/top-up/return-path'
import { LinkButton } from '@/components/ui/link-button'
import { Money, useMoney } from '@/components/ui/money'
import type { Shortage } from '@/lib/exchange/client/browser-exchanges'
import { Link } from '@/lib/i18n/navigation'
import styles from './shortage-notice.module.css'

/**
 * Says that the balance is too low, how much is needed and available, and how to go on. The question stays below. It is
 * an alert because it is rendered together with its text, which screen readers would not announce in a status.
 */
export function ShortageNotice({ shortage }: { shortage: Shortage }) {
  const t = useTranslations('chat')
  const money = useMoney()
  const { requiredUsd, availableUsd } = shortage
  return (
    <div className={styles.notice} role="alert">
      <div>
        <p className={styles.title}>{t('shortageTitle')}</p>
        <dl className={styles.amounts}>
          {requiredUsd !== null && (
            <div>
              <dt>{t('shortageRequired')}</dt>
              <dd>
                <Money text={money.about(requiredUsd, 'ceil')} exact={money.exact(requiredUsd)} />
              </dd>
            </div>
          )}
          {availableUsd !== null && (
            <div>
              <dt>{t('shortageAvailable')}</dt>
              <dd>
                <Money text={money.about(availableUsd, 'floor')} exact={money.exact(availableUsd)} />
              </dd>
            </div>
          )}
        </dl>
      </div>
      <LinkButton component={Link} href={TOP_UP_AND_RETURN} size="small">
        {t('addCredit')}
      </LinkButton>
    </div>
  )
}
