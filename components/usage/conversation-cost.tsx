'use client'

import { useTranslations } from 'next-intl'
import { useMoney } from '@/components/ui/money'
import text from '@/components/ui/text.module.css'
import { useStore } from '@/components/ui/use-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { conversationCost } from '@/lib/local/domain/conversation-cost'

/** The cost of the open conversation so far; nothing before its first answer. */
export function ConversationCost() {
  const t = useTranslations('cost')
  const money = useMoney()
  const conversation = useStore(selectedConversationStore)
  const { usd, answerCount } = conversation ? conversationCost(conversation) : { usd: '0', answerCount: 0 }
  if (answerCount === 0) return null
  return (
    <p className={text.mutedText} title={money.exact(usd)}>
      {t('conversation', { price: money.about(usd), count: answerCount })}
    </p>
  )
}
