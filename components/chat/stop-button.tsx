import { Square } from 'lucide'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { Money, useMoney } from '@/components/ui/money'
import { estimateWritten } from '@/lib/exchange/client/estimate-message'
import type { LiveAnswer } from '@/lib/exchange/client/live-answers'
import { outgoingContext } from '@/lib/exchange/client/outgoing'
import { runningAnswers } from '@/lib/local/domain/comparisons'
import { type Conversation, messageText } from '@/lib/local/domain/conversation'
import { findTurn, pathTo } from '@/lib/local/domain/turns'
import { formatUsd, type Nano } from '@/lib/money/nano'
import { type ChatModel, isFree } from './chat-model'
import styles from './composer.module.css'
import { liveAnswers } from './page-exchanges'

interface StopButtonProps {
  conversation: Conversation | null
  models: readonly ChatModel[]
  /** The composer is not empty, so the button shares its place with a price and Send. */
  isBeside: boolean
  onStop: () => void
}

/** Stops the answers in progress. Shows first what that costs, since input and written output are paid for. */
export function StopButton({ conversation, models, isBeside, onStop }: StopButtonProps) {
  const t = useTranslations('chat')
  const money = useMoney()
  const answers = conversation ? runningAnswers(conversation) : []
  const liveById = useLiveSecondwise(answers)
  const running = answers.map(id => {
    const message = conversation && findTurn(conversation, id)
    const model = models.find(one => one.id === message?.model) ?? null
    return { id, model, live: liveById.get(id) ?? null }
  })
  const sent = running.filter(({ live }) => live?.phase !== 'offline')
  const costs = sent.map(
    ({ id, model, live }) => conversation && model && costSoFar(conversation, id, model, live),
  )
  const isKnown = costs.every(cost => cost !== null)
  const cost = isKnown ? costs.reduce<bigint>((sum, one) => sum + (one ?? 0n), 0n) : null
  const price = cost === null ? null : money.about(formatUsd(cost))
  const isDrawing = sent.some(({ model }) => model?.draws)
  const isAllFree = sent.every(({ model }) => model && isFree(model))
  const hint = () => {
    if (sent.length === 0) return t('stopCost.unsent')
    if (isAllFree) return t('stopCost.free')
    if (isDrawing && price !== null) return t('stopCost.picture', { price })
    const written = price === null ? t('stopCost.unknown') : t('stopCost.written', { price })
    // Nobody knows here which host answers, and whether it is read to its end.
    const whole = t('stopCost.whole')
    const mayThink = sent.some(({ model }) => (model?.controls.efforts.length ?? 0) > 0)
    const hasThought = sent.every(({ live }) => live !== null && live.answer.reasoning !== '')
    return mayThink || hasThought ? `${written} ${whole}` : `${written} ${t('stopCost.hidden')} ${whole}`
  }
  return (
    <>
      {!isBeside && (
        <span className={styles.estimate}>
          {sent.length > 0 && !isDrawing && !isAllFree && price !== null && (
            <span>{t.rich('stopCost.soFar', { price, nowrap: amount => <Money text={amount} /> })}</span>
          )}
        </span>
      )}
      <IconButton
        label={t('stop')}
        title={`${t('stop')}. ${hint()}`}
        icon={<Icon icon={Square} size={16} fill="currentColor" />}
        className={isBeside ? `${styles.send} ${styles.second}` : styles.send}
        aria-keyshortcuts="Escape"
        data-shortcut="stop"
        onClick={({ detail: clickCount }) => {
          // The second click of a double click was meant for Send, which was here a moment ago.
          if (clickCount < 2) onStop()
        }}
      />
    </>
  )
}

function costSoFar(
  conversation: Conversation,
  answerId: string,
  model: ChatModel,
  live: LiveAnswer | null,
): Nano | null {
  const [answer, ...before] = pathTo(conversation, answerId).toReversed()
  const messages = outgoingContext(before.toReversed(), conversation, model.windowTokens).messages
  // For an answer that another tab runs, the stored text counts; an answer fetched again is behind it at first.
  const stored = answer ? `${answer.reasoning ?? ''}${messageText(answer)}` : ''
  const received = live ? `${live.answer.reasoning}${live.answer.text}` : ''
  return estimateWritten(model, messages, received.length < stored.length ? stored : received)
}

/** Nobody reads faster, and counting a long answer takes time. */
const SAMPLE_INTERVAL_MS = 1_000

/** The answers in progress for these messages, sampled once a second. */
function useLiveSecondwise(messageIds: readonly string[]): ReadonlyMap<string, LiveAnswer | null> {
  const [live, setLive] = useState<ReadonlyMap<string, LiveAnswer | null>>(new Map())
  const key = messageIds.join(' ')
  useEffect(() => {
    const sample = () => setLive(new Map(key.split(' ').map(id => [id, liveAnswers.get(id)])))
    sample()
    const timer = setInterval(sample, SAMPLE_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [key])
  return live
}
