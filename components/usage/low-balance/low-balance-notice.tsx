'use client'

import { X } from 'lucide'
import { useTranslations } from 'next-intl'
import { useEffect } from 'react'
import { useBalance } from '@/components/credit/use-balance'
import { useCreditId } from '@/components/credit/use-credit-id'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { useMoney } from '@/components/ui/money'
import { useStore } from '@/components/ui/use-store'
import { Link, usePathname } from '@/lib/i18n/navigation'
import { createExternalStore } from '@/lib/local/storage/external-store'
import styles from './low-balance.module.css'
import { useLowBalanceThreshold } from './threshold'

/** Where money is being added already. */
const SILENT_PATHS = ['/top-up', '/refill']

/** One line that says that the credit runs out, with the way to more of it. */
export function LowBalanceNotice() {
  const t = useTranslations('lowBalance')
  const common = useTranslations('common')
  const money = useMoney()
  const path = usePathname()
  const { isLow, balanceUsd, dismiss } = useLowBalance()
  const shown = isLow && !SILENT_PATHS.includes(path)
  return (
    <div role="status" className={styles.notice}>
      {shown && (
        <>
          <p className={styles.text}>
            {balanceUsd > 0 ? t('low', { balance: money.balance(balanceUsd) }) : t('empty')}{' '}
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

/** For this visit, whatever page it goes to; a balance that was enough again ends it. */
const dismissedStore = createExternalStore(false)

/** Whether to speak up about the balance. Not while it is unknown: a failure shows zero. */
function useLowBalance() {
  const creditId = useCreditId()
  const { balanceUsd, loading, error } = useBalance()
  const thresholdUsd = useLowBalanceThreshold()
  const dismissed = useStore(dismissedStore)
  const known = Boolean(creditId) && !loading && error === null
  const enough = known && balanceUsd >= thresholdUsd
  useEffect(() => {
    if (enough) dismissedStore.set(false)
  }, [enough])
  return {
    isLow: known && !enough && !dismissed,
    balanceUsd,
    dismiss: () => dismissedStore.set(true),
  }
}
