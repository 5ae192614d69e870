import { useLocale, useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { unsentParts } from '@/lib/exchange/client/web-parts'
import type { Message } from '@/lib/local/domain/conversation'
import type { ChatModel } from './chat-model'
import styles from './composer.module.css'

interface UnsentNoticeProps {
  /** What goes along. */
  messages: readonly Message[]
  model: ChatModel
}

const SHOWN_COUNT_MAX = 5
const NONE: readonly string[] = []

/** Names, before anything is sent, what is only on the web and this model will not be given. */
export function UnsentNotice({ messages, model }: UnsentNoticeProps) {
  const t = useTranslations('chat')
  const locale = useLocale()
  const [names, setNames] = useState(NONE)
  useEffect(() => {
    let isCurrent = true
    void unsentParts(messages, model).then(found => {
      if (isCurrent) setNames([...new Set(found)])
    })
    return () => {
      isCurrent = false
    }
  }, [messages, model])

  if (names.length === 0) return null
  const shown = names.length > SHOWN_COUNT_MAX ? [...names.slice(0, SHOWN_COUNT_MAX), '…'] : names
  return (
    <p className={styles.unsent} role="status">
      {t('unsentParts', {
        model: model.name,
        names: new Intl.ListFormat(locale, { type: 'unit' }).format(shown),
      })}
    </p>
  )
}
