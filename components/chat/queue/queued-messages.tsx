import { ArrowDown, ArrowUp, Pencil, X } from 'lucide'
import { useTranslations } from 'next-intl'
import { type ReactNode, useId, useRef } from 'react'
import { TOP_UP_AND_RETURN } from '@/components/credit/top-up/return-path'
import { Button } from '@/components/ui/button'
import { focusMessageBox } from '@/components/ui/focus'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import layout from '@/components/ui/layout.module.css'
import { Money, useMoney } from '@/components/ui/money'
import { Status } from '@/components/ui/status'
import { Link } from '@/lib/i18n/navigation'
import { formatUsd, type Nano } from '@/lib/money/nano'
import { EditForm } from '../edit-form'
import { PriceWith } from '../price/price-with'
import { useIsLasting } from '../use-is-lasting'
import { changeMessage, dropMessage, moveMessage } from './message-queue'
import { type MessageQueue, messageQueueStore, type QueuedMessage } from './queue-store'
import styles from './queued-messages.module.css'
import { continueQueue, goOn, priceQueue } from './run-queue'

/** The next message is usually sent sooner; only after that are messages said to be left unsent. */
const IDLE_QUIET_MS = 1_000

interface QueuedMessagesProps {
  queue: MessageQueue
  isAnswering: boolean
}

/**
 * The messages that wait for the current answer, above the message box: each with its price, to be edited, moved or
 * dropped.
 */
export function QueuedMessages({ queue, isAnswering }: QueuedMessagesProps) {
  const t = useTranslations('chat.queue')
  const titleId = useId()
  const listRef = useRef<HTMLOListElement>(null)
  const { conversationId, messages, heldBy } = queue
  const prices = priceQueue(conversationId)
  // Between the end of an answer and the next message, nothing is left behind.
  const isIdle = heldBy === null && !isAnswering
  const isLeft = useIsLasting(isIdle, IDLE_QUIET_MS, isIdle)
  const isWaiting = heldBy === null && !isLeft
  const update = (edit: (known: MessageQueue) => MessageQueue) =>
    messageQueueStore.update(conversationId, edit)
  /** The pressed button has moved or is gone, so the same button of the row at that place gets the focus. */
  const focusAt = (index: number, action: string) => {
    requestAnimationFrame(() => {
      const item = listRef.current?.children[Math.max(0, index)]
      const button = item?.querySelector<HTMLElement>(
        `[data-action="${action}"]:enabled, [data-action]:enabled`,
      )
      if (button) button.focus()
      else focusMessageBox()
    })
  }
  return (
    <section className={styles.queue} aria-labelledby={titleId}>
      <div className={styles.head}>
        <Status id={titleId} className={styles.title}>
          {isWaiting ? (
            t('waiting', { count: messages.length })
          ) : (
            <HeldBy reason={heldBy} count={messages.length} price={prices[0] ?? null} />
          )}
        </Status>
        <div className={layout.row}>
          {!isWaiting && !isAnswering && (
            <Button
              size="small"
              onClick={() => {
                goOn(conversationId)
                focusMessageBox()
              }}
            >
              {t('goOn')}
            </Button>
          )}
          <Button
            variant="quiet"
            size="small"
            onClick={() => {
              update(known => ({ ...known, messages: [] }))
              focusMessageBox()
            }}
          >
            {t('dropAll')}
          </Button>
        </div>
      </div>
      <ol ref={listRef} className={styles.list}>
        {messages.map((message, index) => (
          <QueuedItem
            key={message.id}
            message={message}
            price={prices[index] ?? null}
            isFirst={index === 0}
            isLast={index === messages.length - 1}
            onChange={change => {
              update(known => changeMessage(known, message.id, change))
              if (change.isOpen) return
              focusAt(index, 'edit')
              // The answer may have ended during the edit.
              void continueQueue(conversationId)
            }}
            onMove={step => {
              update(known => moveMessage(known, message.id, step))
              focusAt(index + step, step < 0 ? 'up' : 'down')
            }}
            onDrop={() => {
              update(known => dropMessage(known, message.id))
              focusAt(Math.min(index, messages.length - 2), 'drop')
            }}
          />
        ))}
      </ol>
    </section>
  )
}

interface HeldByProps {
  reason: MessageQueue['heldBy']
  count: number
  /** The price of the next message. */
  price: Nano | null
}

function HeldBy({ reason, count, price }: HeldByProps): ReactNode {
  const t = useTranslations('chat.queue')
  const money = useMoney()
  switch (reason) {
    case null:
      return t('idle', { count })
    case 'price':
      return t.rich('heldByPrice', {
        price: money.about(formatUsd(price ?? 0n)),
        nowrap: text => <Money text={text} />,
      })
    case 'cut':
    case 'shortage':
      return t.rich(reason === 'cut' ? 'heldByCut' : 'heldByShortage', {
        link: text => <Link href={TOP_UP_AND_RETURN}>{text}</Link>,
      })
    case 'compared':
      return t('heldByComparison')
    case 'stopped':
      return t('heldByStop', { count })
    case 'failed':
      return t('heldByFailure', { count })
  }
}

interface QueuedItemProps {
  message: QueuedMessage
  price: Nano | null
  isFirst: boolean
  isLast: boolean
  onChange: (change: Partial<Pick<QueuedMessage, 'draft' | 'isOpen'>>) => void
  onMove: (step: -1 | 1) => void
  onDrop: () => void
}

function QueuedItem({ message, price, isFirst, isLast, onChange, onMove, onDrop }: QueuedItemProps) {
  const t = useTranslations('chat.queue')
  const common = useTranslations('common')
  const { draft, model, isOpen } = message
  const attachedCount = draft.pictureUrls.length + draft.documents.length
  if (isOpen) {
    return (
      <li>
        <EditForm
          id={message.id}
          text={draft.text}
          submitLabel={common('save')}
          mayBeEmpty={attachedCount > 0}
          onSubmit={text => onChange({ draft: { ...draft, text }, isOpen: false })}
          onCancel={() => onChange({ isOpen: false })}
        />
      </li>
    )
  }
  return (
    <li className={styles.item}>
      <div className={styles.words}>
        {draft.text !== '' && (
          <p dir="auto" className={styles.text}>
            {draft.text}
          </p>
        )}
        <p className={styles.about}>
          <PriceWith model={model} price={price} />
          <span className={styles.model}>{model.name}</span>
          {attachedCount > 0 && <span>{t('attached', { count: attachedCount })}</span>}
        </p>
      </div>
      <div className={styles.buttons}>
        <IconButton
          size="small"
          data-action="up"
          label={t('moveUp')}
          icon={<Icon icon={ArrowUp} size={16} />}
          disabled={isFirst}
          onClick={() => onMove(-1)}
        />
        <IconButton
          size="small"
          data-action="down"
          label={t('moveDown')}
          icon={<Icon icon={ArrowDown} size={16} />}
          disabled={isLast}
          onClick={() => onMove(1)}
        />
        <IconButton
          size="small"
          data-action="edit"
          label={t('edit')}
          icon={<Icon icon={Pencil} size={16} />}
          onClick={() => onChange({ isOpen: true })}
        />
        <IconButton
          size="small"
          data-action="drop"
          label={t('drop')}
          icon={<Icon icon={X} size={16} />}
          onClick={onDrop}
        />
      </div>
    </li>
  )
}
