import { useLocale } from 'next-intl'
import { Button } from '@/components/ui/button'
import type { ButtonSize } from '@/components/ui/button-class'
import layout from '@/components/ui/layout.module.css'
import { formatMoney } from '@/lib/money/format-money'

interface AmountReadingsProps {
  /** Empty if the amount is unambiguous. */
  readingsUsd: readonly number[]
  size?: ButtonSize
  onChoose: (usd: number) => void
}

/** The possible meanings of an ambiguous amount (`parseAmount`), to choose from. */
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
