import { useLocale, useTranslations } from 'next-intl'
import { Money } from '@/components/ui/money'
import type { SpeechReceipt } from '@/lib/local/domain/conversation'
import { formatMoney } from '@/lib/money/format-money'

/** What reading the answer aloud has cost, to the last digit: an item of its own beside the answer's price. */
export function SpokenPrice({ receipt }: { receipt: SpeechReceipt }) {
  const t = useTranslations('speech')
  const locale = useLocale()
  return <Money text={t('spokenFor', { price: formatMoney(receipt.cost_usd, locale) })} />
}
