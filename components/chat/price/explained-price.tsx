import { useTranslations } from 'next-intl'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Money, useMoney } from '@/components/ui/money'
import { Switch } from '@/components/ui/switch'
import type { Context } from '@/lib/exchange/client/context-window'
import { priceLines } from '@/lib/exchange/client/price-lines'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { messageTitle } from '@/lib/local/conversations/conversation-text'
import { runningAnswers } from '@/lib/local/domain/comparisons'
import type { Conversation, Message } from '@/lib/local/domain/conversation'
import { withMessageIds } from '@/lib/local/domain/turns'
import { formatUsd, type Nano } from '@/lib/money/nano'
import type { ChatModel } from '../chat-model'
import { useSteering } from '../steering-store'
import styles from './price.module.css'

interface ExplainedPriceProps {
  model: ChatModel
  context: Context
  conversation: Conversation | null
  onClose: () => void
}

const WORDS_PER_TOKEN = 0.75
/** Nobody counts words of an answer that is not there. */
const ROUND_WORDS = 50

/** What the most is made of that is promised beside Send, and how to send less. */
export function ExplainedPrice({ model, context, conversation, onClose }: ExplainedPriceProps) {
  const t = useTranslations('chat.price')
  const money = useMoney()
  const steering = useSteering(conversation)
  const lines = priceLines(model, context, steering)
  if (!lines) return null
  const { message, earlier, instructions, answer, most, earlierCount, again, whileCached } = lines
  const about = (price: Nano) => money.about(formatUsd(price))
  const words = Math.max(
    ROUND_WORDS,
    Math.round((lines.answerTokenCount * WORDS_PER_TOKEN) / ROUND_WORDS) * ROUND_WORDS,
  )
  const rows: readonly (readonly [string, Nano])[] = [
    [t('message'), message],
    [t('earlier', { count: earlierCount }), earlier],
    [t('instructions'), instructions],
    [t('answer', { count: words }), answer],
  ]
  const saved = most > 0n ? Number((earlier * 100n) / most) : 0
  return (
    <Dialog open onClose={onClose} title={t('title')}>
      <dl className={styles.lines}>
        {rows.map(
          ([name, price]) =>
            price > 0n && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <Money text={about(price)} exact={money.exact(formatUsd(price))} />
                </dd>
              </div>
            ),
        )}
        <div className={styles.sum}>
          <dt>{t('most')}</dt>
          <dd>
            <Money text={money.about(formatUsd(most), 'ceil')} exact={money.exact(formatUsd(most))} />
          </dd>
        </div>
      </dl>
      <p className={styles.hint}>{t('hint')}</p>
      {again !== null && again > 0n && (
        <p className={styles.hint}>
          {t('again', { count: earlierCount, price: about(again) })}{' '}
          {whileCached !== null && t('cached', { price: about(whileCached) })}
        </p>
      )}
      {conversation && runningAnswers(conversation).length === 0 && (
        <SendLess conversation={conversation} context={context} savedPercent={saved} />
      )}
    </Dialog>
  )
}

interface SendLessProps {
  conversation: Conversation
  context: Context
  savedPercent: number
}

/** Which earlier messages go along; the newest is the first to choose. */
function SendLess({ conversation, context, savedPercent }: SendLessProps) {
  const t = useTranslations('chat.price')
  const known = withMessageIds(conversation)
  const sentIds = new Set(context.messages.map(({ id }) => id))
  const choosable = known.messages
    .filter(({ id, left_out: isLeftOut, content }) => (isLeftOut || sentIds.has(id)) && content !== '')
    .toReversed()
  if (choosable.length === 0) return null
  const areAllOut = choosable.every(one => one.left_out)
  return (
    <details className={styles.less}>
      <summary>{savedPercent > 0 ? t('less', { percent: savedPercent }) : t('choose')}</summary>
      <Button variant="quiet" size="small" onClick={() => leaveOut(conversation.id, choosable, !areAllOut)}>
        {t(areAllOut ? 'sendAll' : 'sendNone')}
      </Button>
      <div className={styles.messages}>
        {choosable.map(one => (
          <Switch
            key={one.id}
            label={<span className={styles.words}>{messageTitle(one) || '…'}</span>}
            checked={!one.left_out}
            onChange={isSent => leaveOut(conversation.id, [one], !isSent)}
          />
        ))}
      </div>
    </details>
  )
}

function leaveOut(conversationId: string, messages: readonly Message[], isLeftOut: boolean): void {
  const current = conversationStore.get(conversationId)
  if (!current) return
  const known = withMessageIds(current)
  const ids = new Set(messages.map(({ id }) => id))
  conversationStore.saveConversation({
    ...known,
    messages: known.messages.map(one =>
      ids.has(one.id)
        ? { ...one, left_out: isLeftOut || undefined, updated_at: new Date().toISOString() }
        : one,
    ),
  })
}
