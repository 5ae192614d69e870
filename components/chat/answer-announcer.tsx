import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { LiveRegion } from '@/components/ui/live-region'
import { type Message, messageText, picturesOf } from '@/lib/local/domain/conversation'

/** A longer answer is announced by its beginning; the rest can be read in the message. */
const ANNOUNCED_LENGTH_MAX = 600

/** Tells a screen reader that an answer has begun, and the whole of it at its end; never word by word. */
export function AnswerAnnouncer({ messages }: { messages: readonly Message[] }) {
  const t = useTranslations('chat')
  const [watchedId, setWatchedId] = useState<string | null>(null)
  const answer = messages.findLast(({ role }) => role === 'assistant')
  const streamingId = answer?.status === 'streaming' ? (answer.id ?? null) : null
  if (streamingId !== null && streamingId !== watchedId) setWatchedId(streamingId)
  // An answer that was there when the conversation was opened is no news.
  const isNews = answer?.id !== undefined && answer.id === watchedId
  const announcement = !isNews
    ? ''
    : answer.status === 'streaming'
      ? t('answerStarted')
      : t('answerFinished', { text: spokenText(answer, t('drawnPicture')) })
  return <LiveRegion>{announcement}</LiveRegion>
}

function spokenText(answer: Message, pictureName: string): string {
  const text = messageText(answer)
  return text === '' && picturesOf(answer).length > 0 ? pictureName : text.slice(0, ANNOUNCED_LENGTH_MAX)
}
