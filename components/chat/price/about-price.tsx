import { useTranslations } from 'next-intl'
import type { ComponentProps } from 'react'
import { lazyPart } from '@/components/ui/lazy-part'
import { whileLoading } from '@/components/ui/loading-dialog'
import { Money, useMoney } from '@/components/ui/money'
import { formatUsd, type Nano } from '@/lib/money/nano'
import styles from '../composer.module.css'

const ExplainedPrice = lazyPart(async () => (await import('./explained-price')).ExplainedPrice)

/**
 * Loaded when the person opens the explanation. Other components must use this export rather than import the file
 * themselves; turn-group.tsx explains why.
 */
export function LazyExplainedPrice(props: ComponentProps<typeof ExplainedPrice>) {
  const t = useTranslations('chat.price')
  return <ExplainedPrice {...props} {...whileLoading(t('title'), props.onClose)} />
}

interface AboutPriceProps {
  price: Nano
  onExplain: (() => void) | null
}

/** The approximate price of a message; pressing it explains the price. */
export function AboutPrice({ price, onExplain }: AboutPriceProps) {
  const t = useTranslations('chat')
  const { about } = useMoney()
  // One piece, so that no line ends behind the sign.
  const words = <Money text={`≈ ${about(formatUsd(price))}`} />
  if (!onExplain) return words
  return (
    <button
      type="button"
      className={styles.explain}
      aria-haspopup="dialog"
      aria-description={t('price.title')}
      onClick={onExplain}
    >
      {words}
    </button>
  )
}
