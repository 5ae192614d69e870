import { useTranslations } from 'next-intl'
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { useBalance } from '@/components/credit/use-balance'
import { useCreditId } from '@/components/credit/use-credit-id'
import { Button } from '@/components/ui/button'
import { lazyPart } from '@/components/ui/lazy-part'
import { whileLoading } from '@/components/ui/loading-dialog'
import { useMoney } from '@/components/ui/money'
import text from '@/components/ui/text.module.css'
import { useStore } from '@/components/ui/use-store'
import { creditIdFirstSegment, ofCredit } from '@/lib/local/credit-id'
import { isCutByBalance, type Message } from '@/lib/local/domain/conversation'
import { nanoToUsdNumber } from '@/lib/money/nano'
import type { TurnActions } from '../turn-actions'
import { continueWishStore, takeContinueWish, writeContinueWish } from './continue-wish'
import styles from './paused.module.css'

/** Loaded when the person wants to pay right here. */
const TopUpHere = lazyPart(async () => (await import('./top-up-here')).TopUpHere, 'with-error')

interface ContinueAnswerProps {
  /** The last part of the answer so far. */
  last: Message & { id: string }
  actions: TurnActions
}

/** Continues an answer that ended too early, at a price that is shown first; without enough credit, offers a top-up. */
export function ContinueAnswer({ last, actions }: ContinueAnswerProps) {
  const t = useTranslations('chat.paused')
  const common = useTranslations('common')
  const money = useMoney()
  const { id } = last
  const credit = useCreditId()
  const { balanceUsd, loading, error } = useBalance()
  const [isOpen, setOpen] = useState(false)
  const wish = useStore(continueWishStore)
  const most = useMemo(() => actions.mostRest(id), [actions, id])
  const isKnown = !loading && error === null
  const leftUsd = Number((isCutByBalance(last) && last.receipt?.left_usd) || 0)
  const isShort = most !== null && most > 0n && (isKnown ? balanceUsd <= leftUsd : isCutByBalance(last))

  const mine = wish?.answerId === id ? ofCredit(wish, credit) : null
  const isPaid = mine !== null && isKnown && balanceUsd > mine.leftUsd
  const goOn = useEffectEvent(async (modelId: string) => {
    if (await takeContinueWish(id)) actions.continueAnswer(id, modelId)
  })
  const modelId = mine?.modelId
  useEffect(() => {
    if (isPaid && modelId !== undefined) void goOn(modelId)
  }, [isPaid, modelId])

  if (!isShort) {
    const mostUsd =
      most === null ? 0 : Math.min(nanoToUsdNumber(most), isKnown ? balanceUsd : Number.POSITIVE_INFINITY)
    const isFree = most === null || mostUsd === 0
    return (
      <Button variant="quiet" size="small" onClick={() => actions.continueAnswer(id)}>
        {isFree ? t('continue') : t('continueFor', { price: money.about(mostUsd, 'ceil') })}
      </Button>
    )
  }
  const close = () => setOpen(false)
  const begin = () => {
    setOpen(true)
    if (mine) return
    writeContinueWish({
      answerId: id,
      modelId: actions.model.id,
      creditSegment: credit ? creditIdFirstSegment(credit) : '',
      leftUsd: Math.max(leftUsd, balanceUsd),
      invoiceId: null,
      askedAtMs: Date.now(),
    })
  }
  return (
    <div className={styles.short}>
      <Button size="small" onClick={begin}>
        {t(mine?.invoiceId ? 'showPayment' : 'topUp')}
      </Button>
      {mine && (
        <>
          <span className={text.aside}>{t('goesOn')}</span>
          <Button variant="quiet" size="small" onClick={() => continueWishStore.remove()}>
            {common('cancel')}
          </Button>
          <TopUpHere
            wish={mine}
            open={isOpen}
            onClose={close}
            {...(isOpen && whileLoading(t('topUpTitle'), close))}
          />
        </>
      )}
    </div>
  )
}
