import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { Announcement, LiveRegion, useRegionReady } from '@/components/ui/live-region'
import { useMoney } from '@/components/ui/money'
import { type Message, messageText, picturesOf } from '@/lib/local/domain/conversation'
import { speakableText } from '@/lib/speech/domain/speakable-text'
import { splitSpeech } from '@/lib/speech/domain/split-speech'
import { AnswerEnd, isPhaseAnnounced } from './answer-footer'
import { wasForNothing } from './answer-price'
import { useIsLasting } from './use-is-lasting'
import { useLanguageOf } from './use-language-of'
import { useLiveAnswer } from './use-live-answer'

/**
 * About a minute and a half of speech. Of a longer answer the beginning is announced, and that it is only the
 * beginning.
 */
const ANNOUNCED_LENGTH_MAX = 1_500

/** A stop is usually confirmed sooner; then only that is announced. */
const STOPPING_QUIET_MS = 1_000

/** How long announced text stays. Screen readers have taken it over by then. */
const ANNOUNCED_MS = 10_000

interface AnswerAnnouncerProps {
  messages: readonly Message[]
  /** The last answer including the parts that it continues; null if it continues none. */
  whole: Message | null
}

/**
 * Announces to screen readers that an answer is waited for, that it has begun, and at its end its text and its price;
 * never word by word.
 */
export function AnswerAnnouncer({ messages, whole }: AnswerAnnouncerProps) {
  const [watchedId, setWatchedId] = useState<string | null>(null)
  const answer = messages.findLast(({ role }) => role === 'assistant')
  const streamingId = answer?.status === 'streaming' ? (answer.id ?? null) : null
  // An answer that was there when the conversation was opened is not announced, nor one that is shown again.
  const isWatched = answer?.id !== undefined && answer.id === watchedId
  if (streamingId !== null && !isWatched) setWatchedId(streamingId)
  else if (watchedId !== null && !isWatched) setWatchedId(null)
  // After a stop, the price may be known before it is sure that the answer has stopped.
  const isLive = useLiveAnswer(answer?.id ?? '', () => true) ?? false
  const hasEnded = isWatched && !isLive && answer.status !== 'streaming'
  const isAllSaid = hasEnded && answer.receipt !== undefined
  useEffect(() => {
    if (!isAllSaid) return
    // If it stayed, whoever reads on after the answer with a screen reader would hear it again.
    const timer = setTimeout(() => setWatchedId(null), ANNOUNCED_MS)
    return () => clearTimeout(timer)
  }, [isAllSaid])
  return (
    <>
      <LiveRegion>{isWatched && <AnswerAnnouncement answer={answer} />}</LiveRegion>
      {/* In a region of its own: the price of a stopped answer is known later, and nothing should be read twice. */}
      <LiveRegion>{hasEnded && <EndAnnouncement answer={answer} whole={whole ?? answer} />}</LiveRegion>
    </>
  )
}

/** Failures announce themselves, and so do interruptions of an answer in progress. */
function AnswerAnnouncement({ answer }: { answer: Message }) {
  const [said, words = ''] = useAnnouncedAnswer(answer)
  const language = useLanguageOf(messageText(answer))
  if (!said) return null
  if (words === '') return <Announcement text={said} />
  const start = said.indexOf(words)
  return (
    <Announcement text={said}>
      {said.slice(0, start)}
      <span lang={language}>{words}</span>
      {said.slice(start + words.length)}
    </Announcement>
  )
}

/** What is announced and, if it is the answer, which part of it are the answer's own words. */
function useAnnouncedAnswer(answer: Message): [said: string | null, words?: string] {
  const t = useTranslations('chat')
  const speech = useTranslations('speech')
  const code = speech('codeLeftOut')
  const phase = useLiveAnswer(answer.id ?? '', live => live.phase)
  const isStopSlow = useIsLasting(phase === 'stopping', STOPPING_QUIET_MS)
  if (answer.status === 'streaming') {
    if (isPhaseAnnounced(phase)) return [null]
    // While the model is reasoning, the answer has not begun.
    return [phase === 'streaming' ? t('answerStarted') : t('waitingFor', { model: t('theModel') })]
  }
  // Whether it could be stopped is known once the server has confirmed it.
  if (answer.status === 'stopped') {
    if (phase === null) return [t('stoppedFree')]
    return [isStopSlow ? t('stopping') : null]
  }
  const words = speakableText(messageText(answer), { code }, 2 * ANNOUNCED_LENGTH_MAX)
  if (words === '') {
    return [picturesOf(answer).length > 0 ? t('answerFinished', { text: t('drawnPicture') }) : null]
  }
  const [text = '', ...rest] = splitSpeech(words, { first: ANNOUNCED_LENGTH_MAX, next: ANNOUNCED_LENGTH_MAX })
  return [t(rest.length === 0 ? 'answerFinished' : 'answerBegins', { text }), text]
}

/** The text that appears below the answer at its end. */
function EndAnnouncement({ answer, whole }: { answer: Message; whole: Message }) {
  const t = useTranslations('chat')
  const money = useMoney()
  const { receipt } = whole
  // Firefox tells of two regions that change together in any order, and the answer comes first.
  const isDue = useRegionReady()
  if (!isDue) return null
  return (
    <>
      <AnswerEnd message={whole} last={answer} />{' '}
      {answer.receipt && receipt && (
        <Announcement
          text={
            wasForNothing(whole)
              ? t('notCharged', { price: money.exact(receipt.cost_usd) })
              : t('answerCost', { price: money.about(receipt.cost_usd) })
          }
        />
      )}
    </>
  )
}
