import { useTranslations } from 'next-intl'
import { useBalanceToSpend } from '@/components/credit/use-balance'
import { useMoney } from '@/components/ui/money'
import { formatUsd } from '@/lib/money/nano'
import { type ChatModel, isFree } from '../chat-model'
import styles from '../composer.module.css'
import type { NextMessage } from '../use-next-message'
import { AboutPrice } from './about-price'

interface NextPriceProps {
  next: NextMessage
  /** With several models, a stand-in for all of them. */
  model: ChatModel | null
  compared: readonly ChatModel[]
  /** Otherwise its space is reserved and empty. */
  isTold: boolean
  onExplain: (() => void) | null
}

/** Beside Send: the approximate price of the message, the maximum, and related hints. */
export function NextPrice({ next, model, compared, isTold, onExplain }: NextPriceProps) {
  const { estimate, most, context } = next
  const t = useTranslations('chat')
  const compare = useTranslations('compare')
  const money = useMoney()
  const balance = useBalanceToSpend()
  const isAlone = compared.length === 0
  const missing = (isAlone && model && balance !== null && next.shortOf(model, balance)?.missing) || 0n
  // Not counting the question that is being written.
  const [kept, total] = [context?.earlierCount ?? 0, context?.earlierCounts.at(-1) ?? 0]
  // Keeps an amount and its unit on one line.
  const ceiling = most === null ? '' : money.about(formatUsd(most), 'ceil').replaceAll(' ', '\u00a0')
  const hint = model?.draws
    ? t('estimatePictureHint')
    : estimate === null || most === null
      ? t('estimateHint')
      : t('estimateMostHint', { low: money.about(formatUsd(estimate)), high: ceiling })
  return (
    <span className={styles.estimate} title={hint}>
      {isTold && estimate !== null && (
        <>
          {model && isFree(model) ? t('free') : <AboutPrice price={estimate} onExplain={onExplain} />}
          <small>
            {[
              missing > 0n
                ? t('picker.missing', { price: money.about(formatUsd(missing), 'ceil') })
                : most !== null && most > 0n && t('estimateMost', { price: ceiling }),
              !isAlone && compare('answers', { count: compared.length }),
              isAlone && kept < total && t('estimateMemory', { kept, total }),
            ]
              .filter(Boolean)
              .join('\u00a0· ')}
          </small>
        </>
      )}
    </span>
  )
}
