import { useTranslations } from 'next-intl'
import { lazyPart } from '@/components/ui/lazy-part'
import { Money, useMoney } from '@/components/ui/money'
import { formatUsd, type Nano } from '@/lib/money/nano'
import styles from '../composer.module.css'

/** Arrives when somebody asks what the price is made of; asked for here alone, as the comparison is in turn-group. */
export const LazyExplainedPrice = lazyPart(async () => (await import('./explained-price')).ExplainedPrice)

interface AboutPriceProps {
  price: Nano
  onExplain: (() => void) | null
}

/** About what a message costs; pressed, it says what that is made of. */
export function AboutPrice({ price, onExplain }: AboutPriceProps) {
  const t = useTranslations('chat')
  const { about } = useMoney()
  const words = (
    <>
      ≈ <Money text={about(formatUsd(price))} />
    </>
  )
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
