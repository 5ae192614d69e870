import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import { focusAfterRender, focusMessageBox } from '@/components/ui/focus'
import layout from '@/components/ui/layout.module.css'
import { Money, useMoney } from '@/components/ui/money'
import { isUsableSummary } from '@/lib/exchange/client/outgoing'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { type Conversation, type Message, messageText } from '@/lib/local/domain/conversation'
import { findTurn, removeMessages, replaceMessage, withTurns } from '@/lib/local/domain/turns'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { EditForm } from '../edit-form'
import { pageExchanges } from '../page-exchanges'
import styles from './price.module.css'

/** The summary that is sent in place of all messages above it. It can be read, edited and removed. */
export function SummaryLine({ summary, conversationId }: { summary: Message; conversationId: string }) {
  const t = useTranslations('chat.price.summary')
  const chat = useTranslations('chat')
  const common = useTranslations('common')
  const money = useMoney()
  const [isEditing, setEditing] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const { id = '', status, receipt } = summary
  const text = messageText(summary)
  const cost = receipt && <Money text={money.about(receipt.cost_usd)} exact={money.exact(receipt.cost_usd)} />
  const remove = () => {
    conversationStore.change(conversationId, conversation => removeMessages(conversation, [id]))
    focusMessageBox()
    noticeStore.offerUndo(t('removed'), common('undo'), () =>
      conversationStore.change(conversationId, conversation => withSummary(conversation, summary)),
    )
  }
  const endEditing = () => {
    setEditing(false)
    // The form goes, and the button that opened it is back.
    focusAfterRender(`[data-summary=${JSON.stringify(id)}] button`)
  }
  if (status === 'streaming') {
    return (
      <div className={styles.summary} role="group" aria-label={t('title')}>
        <p>{t('running')}</p>
        <Button variant="quiet" size="small" onClick={() => pageExchanges.stop(id)}>
          {chat('stop')}
        </Button>
      </div>
    )
  }
  if (!isUsableSummary(summary) && text === '') {
    return (
      <div className={styles.summary} role="group" aria-label={t('title')}>
        <p>
          {t('failed')} {cost}
        </p>
        <Button variant="quiet" size="small" onClick={remove}>
          {t('remove')}
        </Button>
      </div>
    )
  }
  return (
    <div className={styles.summary} role="group" aria-label={t('title')} data-summary={id}>
      <details open={isOpen} onToggle={event => setOpen(event.currentTarget.open)}>
        <summary>
          {t(isUsableSummary(summary) ? 'stands' : 'unused')} {cost}
        </summary>
        {isEditing ? (
          <EditForm
            id={id}
            text={text}
            submitLabel={common('save')}
            onSubmit={next => {
              conversationStore.change(conversationId, conversation => {
                const { finish_reason: _, ...known } = findTurn(conversation, id) ?? summary
                return replaceMessage(conversation, { ...known, content: next.trim(), status: 'completed' })
              })
              endEditing()
            }}
            onCancel={endEditing}
          />
        ) : (
          <p dir="auto" className={styles.summaryText}>
            {text}
          </p>
        )}
      </details>
      {!isEditing && (
        <div className={layout.row}>
          <Button
            variant="quiet"
            size="small"
            onClick={() => {
              setOpen(true)
              setEditing(true)
            }}
          >
            {common('edit')}
          </Button>
          <Button variant="quiet" size="small" onClick={remove}>
            {t('remove')}
          </Button>
        </div>
      )}
    </div>
  )
}

function withSummary(conversation: Conversation, summary: Message): Conversation {
  const { messages, branches = [] } = conversation
  return findTurn(conversation, summary.id ?? '')
    ? conversation
    : withTurns(conversation, { messages, branches: [...branches, summary] })
}
