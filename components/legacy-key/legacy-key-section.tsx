'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import useSWR from 'swr'
import { AccountSection } from '@/components/account/account-section'
import { RequestProblem } from '@/components/account/request-problem'
import { useRequest } from '@/components/account/use-request'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { useStore } from '@/components/ui/use-store'
import { errorCodeOf } from '@/lib/http/client/call-api'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { virtualApiKeyStore } from '@/lib/local/virtual-api-key'
import { formatMoney } from '@/lib/money/format-money'
import { fetchKeyBalance } from './key-balance'
import styles from './legacy-key.module.css'
import { RemoveKeyDialog } from './remove-key-dialog'
import { turnIntoCredit } from './turn-into-credit'
import { TurnProblem } from './turn-problem'

/** Offers to turn the key that an earlier version left in this browser into credit. Absent without one. */
export function LegacyKeySection() {
  const apiKey = useStore(virtualApiKeyStore)
  return apiKey === null ? null : <LegacyKey key={apiKey} apiKey={apiKey} />
}

function LegacyKey({ apiKey }: { apiKey: string }) {
  const t = useTranslations('legacyKey')
  const locale = useLocale()
  const balance = useSWR(['legacy-key', apiKey] as const, ([, key]) => fetchKeyBalance(key))
  const { busy, errorCode, run } = useRequest()
  const [isRemoving, setIsRemoving] = useState(false)
  const balanceUsd = balance.data

  const turn = () =>
    run(async () => {
      await turnIntoCredit(apiKey)
      noticeStore.show('success', t('turned'))
    })
  const remove = () => (balanceUsd === 0 ? virtualApiKeyStore.remove() : setIsRemoving(true))

  return (
    <AccountSection id="legacy-key" title={t('title')} lead={t('lead')}>
      <p className={styles.state}>
        {balanceUsd === null && t('unknown')}
        {balanceUsd === 0 && t('empty')}
        {balanceUsd ? t('holds', { balance: formatMoney(balanceUsd, locale) }) : null}
      </p>
      <RequestProblem
        errorCode={balance.error === undefined ? null : errorCodeOf(balance.error)}
        onRetry={() => void balance.mutate()}
      />
      <TurnProblem errorCode={errorCode} />
      <div className={styles.actions}>
        {balanceUsd ? (
          <Button loading={busy} onClick={() => void turn()}>
            {t('turn')}
          </Button>
        ) : null}
        <CopyButton text={apiKey} label={t('copy')} />
        <Button variant="quiet" onClick={remove}>
          {t('remove')}
        </Button>
      </div>
      {isRemoving && <RemoveKeyDialog apiKey={apiKey} onClose={() => setIsRemoving(false)} />}
    </AccountSection>
  )
}
