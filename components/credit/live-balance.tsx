'use client'

import { usePathname } from 'next/navigation'
import { useLocale, useTranslations } from 'next-intl'
import { useEffect, useRef } from 'react'
import { lazyPart } from '@/components/ui/lazy-part'
import { useMoney } from '@/components/ui/money'
import { useStore } from '@/components/ui/use-store'
import { useLowBalance } from '@/components/usage/low-balance/use-low-balance'
import { creditReplacementStore } from '@/lib/local/credit-replacement'
import { lastBalanceStore } from '@/lib/local/last-balance'
import { guardedStorage } from '@/lib/local/storage/guarded-storage'
import { LAST_BALANCE_KEY } from '@/lib/local/storage/storage-keys'
import { walletRecord } from '@/lib/local/wallet/wallet-stores'
import { CREDIT_RECORD_MISSING } from './balance-error'
import { refreshBalanceIfStale, spentStore } from './balance-store'
import { BalanceView } from './balance-view'
import { type ShownBalance, useBalance, useBalanceErrorText } from './use-balance'

/** For people whose own wallet may top up the balance. */
const WalletWatch = lazyPart(async () => (await import('./wallet/wallet-watch')).WalletWatch)

/** For people who have replaced a leaked credit. */
const ReplacementWatch = lazyPart(async () => (await import('./replacement-watch')).ReplacementWatch)

/** Money also comes and goes elsewhere: a friend pays by a refill link, a program spends by a key. */
const REFRESH_INTERVAL_MS = 60_000

/**
 * While the balance is unknown, shows the last known one with its time, or that the credit is safe. Every page fetches
 * again.
 */
export function LiveBalance() {
  const t = useTranslations('credit')
  const money = useMoney()
  const { shown, loading, error, isUnknown } = useBalance(REFRESH_INTERVAL_MS)
  const spent = useStore(spentStore)
  const problem = useBalanceErrorText(error)
  const asOf = useAsOfText(shown)
  const pathname = usePathname()
  const seenPathname = useRef(pathname)
  useEffect(() => {
    if (seenPathname.current === pathname) return
    seenPathname.current = pathname
    void refreshBalanceIfStale()
  }, [pathname])
  const shownUsd = shown?.amountUsd
  useEffect(
    () =>
      guardedStorage.subscribe(key => {
        // Another tab has stored a balance. An equal one is ignored, so that two tabs do not notify each other forever.
        const isChanged = key === LAST_BALANCE_KEY && lastBalanceStore.getSnapshot()?.amountUsd !== shownUsd
        if (isChanged) void refreshBalanceIfStale()
      }),
    [shownUsd],
  )
  const { warning } = useLowBalance()
  const isMoving = useStore(creditReplacementStore)?.state === 'moving'
  const hasWallet = useStore(walletRecord) !== null
  const unknown = error === null ? null : '–'
  return (
    <>
      <BalanceView
        amount={shown ? money.balance(shown.amountUsd) : unknown}
        isBusy={loading}
        isOld={shown?.asOfMs !== null}
        note={
          problem &&
          (isUnknown ? t('notKnownHere') : (asOf ?? (error === CREDIT_RECORD_MISSING ? problem : t('safe'))))
        }
        problem={problem ?? undefined}
        warning={warning}
        spent={spent && `−${money.about(spent.amountUsd)}`}
        onSpentShown={() => spentStore.set(null)}
      />
      {hasWallet && <WalletWatch />}
      {isMoving && <ReplacementWatch />}
    </>
  )
}

/** When the last known balance was reported: the time if it was today, else the day. */
export function useAsOfText(shown: ShownBalance | null): string | null {
  const t = useTranslations('credit')
  const locale = useLocale()
  if (!shown || shown.asOfMs === null) return null
  const at = new Date(shown.asOfMs)
  const isToday = at.toDateString() === new Date().toDateString()
  const format = new Intl.DateTimeFormat(locale, isToday ? { timeStyle: 'short' } : { dateStyle: 'medium' })
  return t('asOf', { time: format.format(at) })
}
