'use client'

import { useTranslations } from 'next-intl'
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { useBalance } from '@/components/credit/use-balance'
import { useMoney } from '@/components/ui/money'
import { useStore } from '@/components/ui/use-store'
import { usePathname } from '@/lib/i18n/navigation'
import { creditIdStore } from '@/lib/local/credit-id'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { walletRecord } from '@/lib/local/wallet/wallet-stores'
import { nextStep, WARNING_MS } from '@/lib/payments/domain/wallet-top-ups'
import {
  actOnTopUps,
  allowedCredit,
  noteBalance,
  readTopUps,
  recordTopUpEvent,
  type TopUpReport,
} from './top-ups'
import { UnlockWallet } from './unlock-wallet'
import { useWallet } from './wallet'

/** A payment that the wallet has made is credited within seconds; one whose outcome is unknown takes longer. */
const PAID_POLL_INTERVAL_MS = 2_000
const POLL_INTERVAL_MS = 30_000
const FAST_POLLING_MS = 2 * 60_000

/** Watches the balance if the person's wallet may top up automatically, warns before a payment, and reports it. */
export function WalletWatch() {
  const t = useTranslations('credit.wallet')
  const money = useMoney()
  const { lock, isUnlocked } = useWallet()
  const text = useStore(walletRecord)
  const state = useMemo(() => readTopUps(text), [text])
  const { shown } = useBalance()
  const creditId = useStore(creditIdStore)
  const isVisible = useStore(visibility)
  const [isUnlocking, setUnlocking] = useState(false)
  const usd = (cents: number) => money.about(cents / 100)

  const report = useEffectEvent((message: TopUpReport) => {
    if (message.kind === 'credited') {
      const { cents, spentCents, dayCents } = message
      noticeStore.show(
        'success',
        t('added', { amount: usd(cents), spent: usd(spentCents), day: usd(dayCents) }),
      )
    } else {
      const problem = t(`problem.${message.problem}`)
      noticeStore.show('warning', message.isOff ? `${problem} ${t('off')}` : problem)
    }
  })
  const act = useEffectEvent(() => void actOnTopUps(report))

  // A warning only helps a person who is there to read it, and is not already topping up.
  const isPayingIn = usePathname() === '/top-up'
  const isWatching = isVisible && isUnlocked && !isPayingIn
  const balanceUsd = isWatching && shown?.asOfMs === null ? shown.amountUsd : null
  const note = useEffectEvent((usd: number) => void noteBalance(usd, report))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stored rules and progress may have changed as well
  useEffect(() => {
    if (balanceUsd !== null) note(balanceUsd)
  }, [balanceUsd, text])

  const warned = state.current?.stage === 'warned' ? state.current : null
  const warnedCents = warned?.cents ?? null
  const untilMs = warned?.untilMs ?? null
  const warn = useEffectEvent((cents: number) => {
    const amount = usd(cents)
    if (untilMs === null) {
      const confirm = () => {
        noticeStore.hide()
        void recordTopUpEvent({ type: 'confirmed' })
      }
      return noticeStore.show('info', t('ask', { amount }), { label: t('confirm', { amount }), run: confirm })
    }
    const decline = () => {
      noticeStore.hide()
      void recordTopUpEvent({ type: 'declined' })
    }
    return noticeStore.show('info', t('warning', { amount, seconds: WARNING_MS / 1000 }), {
      label: t('notNow'),
      run: decline,
    })
  })
  useEffect(() => {
    // A countdown that is over is followed by the next step.
    const isOver = untilMs !== null && untilMs <= Date.now()
    if (warnedCents !== null && !isOver && isVisible && isUnlocked) return warn(warnedCents)
  }, [warnedCents, untilMs, isVisible, isUnlocked])

  const isLowWhileLocked =
    lock !== null &&
    !isUnlocked &&
    state.rules !== null &&
    allowedCredit(state, creditId) !== null &&
    state.isArmed &&
    !state.isOff &&
    shown?.asOfMs === null &&
    shown.amountUsd * 100 < state.rules.belowCents
  const offerUnlock = useEffectEvent(() =>
    noticeStore.show('info', t('locked'), {
      label: t('unlock'),
      run: () => {
        noticeStore.hide()
        setUnlocking(true)
      },
    }),
  )
  useEffect(() => {
    if (isLowWhileLocked) return offerUnlock()
  }, [isLowWhileLocked])

  const step = nextStep(state, Date.now())
  const stage = state.current?.stage
  const askedMs = state.current && 'atMs' in state.current ? state.current.atMs : 0
  useEffect(() => {
    if (step === 'rest' || !isVisible) return
    if (step === 'wait') {
      if (untilMs === null) return
      const timer = setTimeout(act, Math.max(0, untilMs - Date.now()))
      return () => clearTimeout(timer)
    }
    let timer: ReturnType<typeof setTimeout>
    const poll = () => {
      act()
      const isFast = stage === 'paid' && Date.now() < askedMs + FAST_POLLING_MS
      timer = setTimeout(poll, isFast ? PAID_POLL_INTERVAL_MS : POLL_INTERVAL_MS)
    }
    poll()
    return () => clearTimeout(timer)
  }, [step, stage, untilMs, askedMs, isVisible])

  if (!isUnlocking) return null
  return <UnlockWallet onUnlocked={() => setUnlocking(false)} onClose={() => setUnlocking(false)} />
}

const visibility = {
  subscribe(listener: () => void) {
    document.addEventListener('visibilitychange', listener)
    return () => document.removeEventListener('visibilitychange', listener)
  },
  getSnapshot: () => document.visibilityState === 'visible',
  getServerSnapshot: () => false,
}
