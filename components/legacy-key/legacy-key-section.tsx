'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import useSWR from 'swr'
import { AccountSection } from '@/components/account/account-section'
import { refreshBalance } from '@/components/credit/balance-store'
import { ensureCredit } from '@/components/credit/ensure-credit'
import { RequestProblem } from '@/components/request/request-problem'
import { useRequest } from '@/components/request/use-request'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Dialog } from '@/components/ui/dialog'
import layout from '@/components/ui/layout.module.css'
import text from '@/components/ui/text.module.css'
import { useStore } from '@/components/ui/use-store'
import { mergeKey } from '@/lib/api/client/accounts'
import { ApiCallError, callApiForJson, fetchErrorCode, numberOf } from '@/lib/http/client/call-api'
import type { CallErrorCode } from '@/lib/http/domain/error-codes'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { virtualApiKeyStore } from '@/lib/local/virtual-api-key'
import { formatMoney } from '@/lib/money/format-money'
import styles from './legacy-key.module.css'

/** Offers to turn an API key that an earlier version left in this browser into credit. Absent if there is none. */
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
      <p className={`${text.text} ${styles.state}`}>
        {balanceUsd === null && t('unknown')}
        {balanceUsd === 0 && t('empty')}
        {balanceUsd ? t('holds', { balance: formatMoney(balanceUsd, locale) }) : null}
      </p>
      <RequestProblem errorCode={fetchErrorCode(balance.error)} onRetry={() => void balance.mutate()} />
      <TurnProblem errorCode={errorCode} />
      <div className={layout.row}>
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

/** Asks before it removes a key that may still be worth something. */
function RemoveKeyDialog({ apiKey, onClose }: { apiKey: string; onClose: () => void }) {
  const t = useTranslations('legacyKey')
  const common = useTranslations('common')
  return (
    <Dialog open onClose={onClose} title={t('removeTitle')}>
      <p className={text.text}>{t('removeText')}</p>
      <div className={`${layout.row} ${styles.dialogActions}`}>
        <Button variant="danger" onClick={() => virtualApiKeyStore.remove()}>
          {t('removeConfirm')}
        </Button>
        <CopyButton text={apiKey} label={t('copy')} />
        <Button variant="quiet" onClick={onClose}>
          {common('cancel')}
        </Button>
      </div>
    </Dialog>
  )
}

/**
 * Merges the key's balance into this browser's credit, created if there is none, and removes the key. A key that still
 * has money afterwards, held for an answer in progress, stays; trying again moves the rest.
 *
 * @throws ApiCallError forbidden if somebody holds the key's credit, conflict if it is this browser's
 */
async function turnIntoCredit(apiKey: string): Promise<void> {
  const creditId = await ensureCredit()
  await mergeKey({ apiKey, intoCreditId: creditId })
  await refreshBalance().catch(() => undefined)
  if ((await fetchKeyBalance(apiKey)) !== 0) throw new ApiCallError('credit_in_use')
  if (virtualApiKeyStore.getSnapshot() === apiKey) virtualApiKeyStore.remove()
}

/** Why the key could not be turned into credit, and what can be done instead. */
function TurnProblem({ errorCode }: { errorCode: CallErrorCode | null }) {
  const t = useTranslations('legacyKey')
  if (errorCode !== 'forbidden' && errorCode !== 'conflict') return <RequestProblem errorCode={errorCode} />
  return (
    <p role="alert" className={`${text.text} ${text.problem}`}>
      {errorCode === 'conflict'
        ? t('already')
        : t.rich('heldElsewhere', { link: words => <a href="#restore">{words}</a> })}
    </p>
  )
}

/** Dollars; null if the server does not know the key. @throws ApiCallError */
async function fetchKeyBalance(apiKey: string): Promise<number | null> {
  try {
    const answer = await callApiForJson({ method: 'POST', path: '/credits/balance', bearer: apiKey })
    const balanceUsd = numberOf(answer, 'balance')
    if (balanceUsd === null) throw new ApiCallError('unknown')
    return balanceUsd
  } catch (thrown) {
    if (thrown instanceof ApiCallError && thrown.code === 'invalid_credential') return null
    throw thrown
  }
}
