import { useLocale, useTranslations } from 'next-intl'
import { type ReactNode, useEffect, useId, useMemo, useState } from 'react'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Money, useMoney } from '@/components/ui/money'
import { Select } from '@/components/ui/select'
import { Switch } from '@/components/ui/switch'
import { WORDS_PER_TOKEN } from '@/lib/catalogue/domain/everyday'
import { type WarmCache, warmCache } from '@/lib/exchange/client/cache-warmth'
import type { Context } from '@/lib/exchange/client/context-window'
import { priceLines } from '@/lib/exchange/client/price-lines'
import { conversationStore } from '@/lib/local/conversations/conversation-store'
import { messageTitle } from '@/lib/local/conversations/conversation-text'
import { runningAnswers } from '@/lib/local/domain/comparisons'
import { type Conversation, EARLIER_MESSAGES_HIGHEST, type Message } from '@/lib/local/domain/conversation'
import { withMessageIds } from '@/lib/local/domain/turns'
import { formatUsd, type Nano } from '@/lib/money/nano'
import type { ChatModel } from '../chat-model'
import { sendEarlier, useSteering } from '../steering-store'
import type { Question } from '../use-ask'
import styles from './price.module.css'
import { planSummary, summarise } from './summarise'

interface ExplainedPriceProps {
  model: ChatModel
  context: Context
  conversation: Conversation | null
  /** Allows earlier messages to be summarised; absent if that is not possible. */
  summarising?: { readonly models: readonly ChatModel[]; readonly ask: (question: Question) => void }
  onClose: () => void
}

/** The length of a future answer is rounded to this many words. */
const ROUND_WORDS = 50

/** How the maximum price promised beside Send comes about, and how to send less. */
export function ExplainedPrice(props: ExplainedPriceProps) {
  const { model, context, conversation, summarising, onClose } = props
  const t = useTranslations('chat.price')
  const money = useMoney()
  const steering = useSteering(conversation)
  const lines = priceLines(model, context, steering)
  const [openedAtMs] = useState(Date.now)
  if (!lines) return null
  const found = conversation && warmCache(model, conversation.messages, context, conversation)
  const warm = found && found.untilMs > openedAtMs ? found : null
  const { message, earlier, summary, instructions, answer, most, again, whileCached } = lines
  const { earlierCount } = context
  const about = (price: Nano) => money.about(formatUsd(price))
  const words = Math.max(
    ROUND_WORDS,
    Math.round((lines.answerTokenCount * WORDS_PER_TOKEN) / ROUND_WORDS) * ROUND_WORDS,
  )
  const rows: readonly (readonly [string, Nano])[] = [
    [t('message'), message],
    [t('earlier', { count: earlierCount }), earlier],
    [t('summary.title'), summary],
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
          {warm ? <Warmth warm={warm} /> : whileCached !== null && t('cached', { price: about(whileCached) })}
        </p>
      )}
      {conversation && runningAnswers(conversation).length === 0 && (
        <SendLess conversation={conversation} context={context} savedPercent={saved}>
          {summarising && (
            <Summarise {...summarising} model={model} conversation={conversation} onClose={onClose} />
          )}
        </SendLess>
      )}
    </Dialog>
  )
}

/** The cache may expire while the dialog is open. */
function Warmth({ warm: { untilMs, price, whole } }: { warm: WarmCache }) {
  const t = useTranslations('chat.price')
  const locale = useLocale()
  const { about } = useMoney()
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), Math.max(0, untilMs - Date.now()))
    return () => clearTimeout(timer)
  }, [untilMs])
  if (isOver) return null
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(untilMs)
  return t('warm', { time, price: about(formatUsd(price)), whole: about(formatUsd(whole)) })
}

interface SendLessProps {
  conversation: Conversation
  context: Context
  savedPercent: number
  children: ReactNode
}

/** Selects which earlier messages are sent along, newest first. */
function SendLess({ conversation, context, savedPercent, children }: SendLessProps) {
  const t = useTranslations('chat.price')
  const known = withMessageIds(conversation)
  const sentIds = new Set(context.messages.map(({ id }) => id))
  const choosable = known.messages
    .slice(context.fromIndex)
    .filter(({ id, left_out: isLeftOut, content }) => (isLeftOut || sentIds.has(id)) && content !== '')
    .toReversed()
  const areAllOut = choosable.every(one => one.left_out)
  return (
    <section
      className={styles.less}
      aria-label={savedPercent > 0 ? t('less', { percent: savedPercent }) : t('choose')}
    >
      <h3>{savedPercent > 0 ? t('less', { percent: savedPercent }) : t('choose')}</h3>
      <Along conversation={conversation} context={context} />
      {choosable.length > 0 && (
        <details>
          <summary>{t('along.single')}</summary>
          <Button
            variant="quiet"
            size="small"
            onClick={() => leaveOut(conversation.id, choosable, !areAllOut)}
          >
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
      )}
      {children}
    </section>
  )
}

interface SummariseProps {
  model: ChatModel
  models: readonly ChatModel[]
  conversation: Conversation
  ask: (question: Question) => void
  onClose: () => void
}

/** Offers a summary of the earlier messages by a cheap model, at a price that is shown first. */
function Summarise({ model, models, conversation, ask, onClose }: SummariseProps) {
  const t = useTranslations('chat.price.summary')
  const { about } = useMoney()
  const id = useId()
  const plan = useMemo(() => planSummary(model, conversation, models), [model, conversation, models])
  const [chosenId, setChosenId] = useState<string | null>(null)
  const offer = plan?.offers.find(one => one.model.id === chosenId) ?? plan?.offers[0]
  if (!plan || !offer) return null
  return (
    <div className={styles.summarise}>
      <p>
        {t('offer', { count: plan.count, price: about(formatUsd(offer.price)) })}{' '}
        {plan.saved > 0n && t('saves', { price: about(formatUsd(plan.saved)) })}
      </p>
      <label htmlFor={id}>{t('model')}</label>
      <Select id={id} value={offer.model.id} onChange={event => setChosenId(event.currentTarget.value)}>
        {plan.offers.map(one => (
          <option key={one.model.id} value={one.model.id}>
            {`${one.model.name} · ${about(formatUsd(one.price))}`}
          </option>
        ))}
      </Select>
      <Button
        size="small"
        onClick={() => {
          onClose()
          ask({
            model: offer.model,
            estimate: offer.price,
            most: offer.most,
            conversation,
            ask: most => summarise(conversation.id, plan.afterId, offer.model, most),
          })
        }}
      >
        {t('start')}
      </Button>
    </div>
  )
}

/** How many earlier messages are sent along, in whole turns, for this conversation only. */
function Along({ conversation, context }: { conversation: Conversation; context: Context }) {
  const t = useTranslations('chat.price.along')
  const id = useId()
  const { earlierCount, earlierCounts } = context
  /** The slider's position while it is being moved. Each step is a question with its answers. */
  const [movedTo, setMovedTo] = useState<number | null>(null)
  const last = earlierCounts.length - 1
  if (last <= 0) return null
  const step = movedTo ?? earlierCounts.indexOf(earlierCount)
  const words = t('count', { kept: earlierCounts[step] ?? 0, total: earlierCounts[last] ?? 0 })
  const choose = () => {
    if (movedTo === null) return
    sendEarlier(conversation.id, movedTo >= last ? EARLIER_MESSAGES_HIGHEST : (earlierCounts[movedTo] ?? 0))
    setMovedTo(null)
  }
  return (
    <div className={styles.along}>
      <label htmlFor={id}>{t('title')}</label>
      <output htmlFor={id}>{words}</output>
      <input
        id={id}
        type="range"
        min={0}
        max={last}
        value={step}
        aria-valuetext={words}
        onChange={event => setMovedTo(event.currentTarget.valueAsNumber)}
        onPointerUp={choose}
        onKeyUp={choose}
        onBlur={choose}
      />
      {conversation.earlier_messages_max !== undefined && (
        <Button variant="quiet" size="small" onClick={() => sendEarlier(conversation.id, undefined)}>
          {t('asUsual')}
        </Button>
      )}
    </div>
  )
}

function leaveOut(conversationId: string, messages: readonly Message[], isLeftOut: boolean): void {
  const ids = new Set(messages.map(({ id }) => id))
  conversationStore.change(conversationId, current => {
    const known = withMessageIds(current)
    return {
      ...known,
      messages: known.messages.map(one =>
        ids.has(one.id)
          ? { ...one, left_out: isLeftOut || undefined, updated_at: new Date().toISOString() }
          : one,
      ),
    }
  })
}
