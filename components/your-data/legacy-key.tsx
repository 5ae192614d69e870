'use client'

import { useLocale, useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { callApiForJson } from '@/lib/http/client/call-api'
import { readVirtualApiKey, removeVirtualApiKey } from '@/lib/local/virtual-api-key'
import { formatMoney } from '@/lib/money/format-money'
import styles from './your-data.module.css'

interface LegacyKeyState {
  key: string
  /** Null while it is looked up, and for a key that is not known here. */
  balanceUsd: number | null
}

/**
 * An earlier version kept an API key in this browser instead of a credit_id. It is shown with what it
 * can spend. It is not turned into credit by itself: a key may only spend, and whoever finds one must
 * not be able to carry the whole balance off.
 */
export function LegacyKey() {
  const t = useTranslations('yourData')
  const locale = useLocale()
  const [state, setState] = useState<LegacyKeyState | null>(null)

  useEffect(() => {
    const key = readVirtualApiKey()
    if (key === null) return
    setState({ key, balanceUsd: null })
    fetchBalance(key).then(
      balanceUsd => setState({ key, balanceUsd }),
      () => {},
    )
  }, [])

  if (!state) return null
  const remove = () => {
    removeVirtualApiKey()
    setState(null)
  }
  return (
    <section aria-label={t('legacyKeyTitle')}>
      <h3>{t('legacyKeyTitle')}</h3>
      <p>
        {t('legacyKeyLead')}{' '}
        {state.balanceUsd !== null &&
          t('legacyKeyBalance', { balance: formatMoney(state.balanceUsd, locale) })}
      </p>
      <div className={styles.actions}>
        <CopyButton text={state.key} label={t('legacyKeyCopy')} />
        <Button variant="quiet" onClick={remove}>
          {t('legacyKeyRemove')}
        </Button>
      </div>
    </section>
  )
}

async function fetchBalance(bearer: string): Promise<number | null> {
  const answer = await callApiForJson({ method: 'POST', path: '/credits/balance', bearer })
  const balance = typeof answer === 'object' && answer !== null && 'balance' in answer ? answer.balance : null
  return typeof balance === 'number' ? balance : null
}
