'use client'

import { useTranslations } from 'next-intl'
import { useMemo } from 'react'
import { Button } from '@/components/ui/button'
import layout from '@/components/ui/layout.module.css'
import { useMoney } from '@/components/ui/money'
import text from '@/components/ui/text.module.css'
import { useStore } from '@/components/ui/use-store'
import { creditIdStore } from '@/lib/local/credit-id'
import { walletRecord } from '@/lib/local/wallet/wallet-stores'
import { spentCents } from '@/lib/payments/domain/wallet-top-ups'
import { allowedCredit, readTopUps, recordTopUpEvent } from './top-ups'

/** What the wallet has paid automatically, what is in progress, and what went wrong, each with a next step. */
export function WalletState() {
  const t = useTranslations('wallet')
  const walletText = useTranslations('credit.wallet')
  const common = useTranslations('common')
  const money = useMoney()
  const record = useStore(walletRecord)
  const state = useMemo(() => readTopUps(record), [record])
  const { rules, current, problem, isOff } = state
  const isForOther = allowedCredit(state, useStore(creditIdStore)) === null
  const usd = (cents: number) => money.about(cents / 100)
  const spent = spentCents(state, Date.now())
  const isAsked = current?.stage === 'paying'
  const isOpen = current?.stage === 'unknown' || current?.stage === 'paid'
  if (!rules && !isAsked && !isOpen) return null
  return (
    <div className={layout.stack} role="status">
      {rules && (
        <p className={text.text}>
          {t('rule', { below: usd(rules.belowCents), add: usd(rules.addCents), day: usd(rules.dayCents) })}{' '}
          {t('spent', { spent: usd(spent), day: usd(rules.dayCents) })}
        </p>
      )}
      {rules && isForOther && <p className={text.problem}>{t('otherCredit')}</p>}
      {current?.stage === 'warned' && current.untilMs === null && (
        <>
          <p className={text.text}>{walletText('ask', { amount: usd(current.cents) })}</p>
          <div className={layout.row}>
            <Button onClick={() => void recordTopUpEvent({ type: 'confirmed' })}>
              {walletText('confirm', { amount: usd(current.cents) })}
            </Button>
            <Button variant="quiet" onClick={() => void recordTopUpEvent({ type: 'declined' })}>
              {walletText('notNow')}
            </Button>
          </div>
        </>
      )}
      {isAsked && <p className={text.text}>{t('under.paying', { amount: usd(current.cents) })}</p>}
      {isOpen && (
        <>
          <p className={text.text}>{t(`under.${current.stage}`, { amount: usd(current.cents) })}</p>
          <div>
            <Button variant="quiet" onClick={() => void recordTopUpEvent({ type: 'forgotten' })}>
              {t('forget')}
            </Button>
          </div>
        </>
      )}
      {problem && (
        <p className={text.problem}>
          {walletText(`problem.${problem}`)} {isOff && walletText('off')}
        </p>
      )}
      {rules && problem && !current && problem !== 'day_reached' && (
        <div>
          <Button
            variant={isOff ? 'primary' : 'quiet'}
            onClick={() => void recordTopUpEvent({ type: 'allowed', rules })}
          >
            {isOff ? t('switchOn') : common('retry')}
          </Button>
        </div>
      )}
    </div>
  )
}
