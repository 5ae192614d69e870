import { useTranslations } from 'next-intl'
import { Money, useMoney } from '@/components/ui/money'
import type { SpeechReceipt } from '@/lib/local/domain/conversation'

/** What reading the answer aloud has cost, shown beside the price of the answer. */
export function SpokenPrice({ receipt }: { receipt: SpeechReceipt }) {
  const t = useTranslations('speech')
  const money = useMoney()
  const { cost_usd: usd } = receipt
  return <Money text={t('spokenFor', { price: money.about(usd) })} exact={money.exact(usd)} />
}
