'use client'

import { X } from 'lucide'
import { useLocale, useTranslations } from 'next-intl'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { Link, usePathname } from '@/lib/i18n/navigation'
import { formatBalance } from '@/lib/money/format-money'
import styles from './low-balance.module.css'
import { useLowBalance } from './use-low-balance'

/** Where money is being added already. */
const SILENT_PATHS = ['/top-up', '/refill']

/** One line that says that the credit runs out, with the way to more of it. */
export function LowBalanceNotice() {
  const t = useTranslations('lowBalance')
  const common = useTranslations('common')
  const locale = useLocale()
  const path = usePathname()
  const { isLow, balanceUsd, dismiss } = useLowBalance()
  const shown = isLow && !SILENT_PATHS.includes(path)
  return (
    <div role="status" className={styles.notice}>
      {shown && (
        <>
          <p className={styles.text}>
            {balanceUsd > 0 ? t('low', { balance: formatBalance(balanceUsd, locale) }) : t('empty')}{' '}
            <Link href="/top-up">{t('topUp')}</Link>
          </p>
          <IconButton
            size="small"
            label={common('close')}
            icon={<Icon icon={X} size={16} />}
            onClick={dismiss}
          />
        </>
      )}
    </div>
  )
}
