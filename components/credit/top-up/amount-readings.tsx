import { useLocale } from 'next-intl'
import { Button } from '@/components/ui/button'
import type { ButtonSize } from '@/components/ui/button-class'
import layout from '@/components/ui/layout.module.css'
import { formatMoney } from '@/lib/money/format-money'

interface AmountReadingsProps {
  /** None where the amount can be read in one way. */
  readingsUsd: readonly number[]
  size?: ButtonSize
  onChoose: (usd: number) => void
}

/** What an amount may mean that can be read in two ways (`parseAmount`), to be chosen from. */
export function AmountReadings({ readingsUsd, size, onChoose }: AmountReadingsProps) {
  const locale = useLocale()
  if (readingsUsd.length === 0) return null
  return (
    <div className={layout.row}>
      {readingsUsd.map(usd => (
        <Button key={usd} variant="quiet" size={size} onClick={() => onChoose(usd)}>
          {formatMoney(usd, locale)}
        </Button>
      ))}
    </div>
  )
}
