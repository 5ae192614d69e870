'use client'

import { useTranslations } from 'next-intl'
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { useBalance } from '@/components/credit/use-balance'
import { useMoney } from '@/components/ui/money'
import { useStore } from '@/components/ui/use-store'
import { usePathname } from '@/lib/i18n/navigation'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { walletRecord } from '@/lib/local/wallet/wallet-stores'
import { nextStep, WARNING_MS } from '@/lib/payments/domain/wallet-top-ups'
import { actOnTopUps, noteBalance, readTopUps, tellTopUps, type WalletNews } from './top-ups'
import { UnlockWallet } from './unlock-wallet'
import { useWallet } from './wallet'

/** A payment that the wallet has made is credited within seconds; one that nobody knows of takes longer. */
const PAID_LOOK_MS = 2_000
const LOOK_MS = 30_000
const SOON_MS = 2 * 60_000

/** Watches the balance for a person whose wallet may top up by itself, warns before, and tells after. */
export function WalletWatch() {
  const t = useTranslations('credit.wallet')
  const money = useMoney()
  const { lock, isUnlocked } = useWallet()
  const text = useStore(walletRecord)
  const state = useMemo(() => readTopUps(text), [text])
  const { shown } = useBalance()
  const isVisible = useStore(visibility)
  const [isUnlocking, setUnlocking] = useState(false)
  const usd = (cents: number) => money.about(cents / 100)

  const tell = useEffectEvent((news: WalletNews) => {
    if (news.kind === 'credited') {
      const { cents, spentCents, dayCents } = news
      noticeStore.show(
        'success',
        t('added', { amount: usd(cents), spent: usd(spentCents), day: usd(dayCents) }),
      )
    } else {
      const problem = t(`problem.${news.problem}`)
      noticeStore.show('warning', news.isOff ? `${problem} ${t('off')}` : problem)
    }
  })
  const act = useEffectEvent(() => void actOnTopUps(tell))

  // A warning is worth something only to somebody who is there to read it, and is not paying in already.
  const isPayingIn = usePathname() === '/top-up'
  const isWatching = isVisible && isUnlocked && !isPayingIn
  const balanceUsd = isWatching && shown?.asOfMs === null ? shown.amountUsd : null
  const note = useEffectEvent((usd: number) => void noteBalance(usd, tell))
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is allowed, or under way, may have changed as well
  useEffect(() => {
    if (balanceUsd !== null) note(balanceUsd)
  }, [balanceUsd, text])

  const warned = state.current?.stage === 'warned' ? state.current : null
  const warnedCents = warned?.cents ?? null
  const untilMs = warned?.untilMs ?? null
  const warn = useEffectEvent((cents: number) => {
    const amount = usd(cents)
    if (untilMs === null) {
      const confirm = () => void tellTopUps({ type: 'confirmed' })
      noticeStore.show('info', t('ask', { amount }), { label: t('confirm', { amount }), run: confirm })
      return
    }
    const decline = () => {
      noticeStore.hide()
      void tellTopUps({ type: 'declined' })
    }
    noticeStore.show('info', t('warning', { amount, seconds: WARNING_MS / 1000 }), {
      label: t('notNow'),
      run: decline,
    })
  })
  useEffect(() => {
    // One that is over is given anew by the next step.
    const isOver = untilMs !== null && untilMs <= Date.now()
    if (warnedCents !== null && !isOver && isVisible && isUnlocked) warn(warnedCents)
  }, [warnedCents, untilMs, isVisible, isUnlocked])

  const isLowWhileLocked =
    lock !== null &&
    !isUnlocked &&
    state.rules !== null &&
    state.isArmed &&
    !state.isOff &&
    shown?.asOfMs === null &&
    shown.amountUsd * 100 < state.rules.belowCents
  const offerUnlock = useEffectEvent(() =>
    noticeStore.show('info', t('locked'), { label: t('unlock'), run: () => setUnlocking(true) }),
  )
  useEffect(() => {
    if (isLowWhileLocked) offerUnlock()
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
    const lookAgain = () => {
      act()
      const isSoon = stage === 'paid' && Date.now() < askedMs + SOON_MS
      timer = setTimeout(lookAgain, isSoon ? PAID_LOOK_MS : LOOK_MS)
    }
    lookAgain()
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
