import { useTranslations } from 'next-intl'
import { Money, useMoney } from '@/components/ui/money'
import { formatUsd, type Nano } from '@/lib/money/nano'
import { type ChatModel, isFree } from '../chat-model'

/** About what a message costs with this model; nothing if that is unknown. */
export function PriceWith({ model, price }: { model: ChatModel; price: Nano | null }) {
  const t = useTranslations('chat')
  const { about } = useMoney()
  if (isFree(model)) return t('free')
  return price !== null && <Money text={`≈ ${about(formatUsd(price))}`} />
}
