import { RotateCcw } from 'lucide'
import { useTranslations } from 'next-intl'
import { useContext, useState } from 'react'
import { useErrorText } from '@/components/shell/use-error-text'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { lazyPart } from '@/components/ui/lazy-part'
import { Money, useMoney } from '@/components/ui/money'
import { useStore } from '@/components/ui/use-store'
import { CONNECTION_LOST, REST_LOST } from '@/lib/exchange/client/answer'
import type { ExchangePhase } from '@/lib/exchange/client/follow-exchange'
import {
  type AnswerErrorCode,
  documentsOf,
  hasReachedOwnLength,
  isCutByBalance,
  isUnfinished,
  type Message,
  messageText,
  picturesOf,
  type SpeechReceipt,
} from '@/lib/local/domain/conversation'
import { settingsStore } from '@/lib/local/settings/settings-store'
import { AnswerPrice, isUncharged } from './answer-price'
import { answerHtml } from './markdown/answer-html'
import styles from './message.module.css'
import { MessageTime } from './message-time'
import { ContinueAnswer } from './paused/continue-answer'
import type { TurnActions } from './turn-actions'
import { AnswerAgain, MoreActions } from './turn-controls'
import { TurnVersions } from './turn-versions'
import { HasButtons } from './use-near'

/** Loaded with the first answer if the person wants answers read aloud, and so are the site's voices. */
const ReadAloud = lazyPart(async () => (await import('@/components/speech/read-aloud')).ReadAloud)

export interface AnswerFooterProps {
  message: Message
  /**
   * The stored messages that make up the answer, if it was continued; an answer in progress is written to the last one.
   */
  parts?: readonly Message[]
  /** The text as shown, for copying. */
  text: string
  modelName: string | null
  /** Null once the answer has ended or its stop is confirmed. */
  phase: ExchangePhase | null
  /** The answer is a picture, not text. */
  isDrawing: boolean
  /** It is the last message. */
  isLast: boolean
  /** All versions of this message; null if there is only one. */
  versions: readonly string[] | null
  /** Null while an answer is in progress. */
  actions: TurnActions | null
}

/** Phases that screen readers must announce. They are announced in the footer, and nowhere else. */
export const isPhaseAnnounced = (phase: ExchangePhase | null): boolean =>
  phase === 'offline' || phase === 'reconnecting' || phase === 'finishing'

/** The foot of an answer: its progress while it is written, then its cost. */
export function AnswerFooter(props: AnswerFooterProps) {
  const { message, parts = [], text, modelName, phase, isDrawing, isLast } = props
  const t = useTranslations('chat')
  const hasButtons = useContext(HasButtons)
  // The way that an answer ended is announced only if it was in progress when it was first shown.
  const [wasRunning, setWasRunning] = useState(phase !== null)
  if (phase !== null && !wasRunning) setWasRunning(true)
  if (phase !== null) {
    const isQuiet = phase === 'streaming' && text !== ''
    const model = modelName ?? t('theModel')
    const isAnnounced = isPhaseAnnounced(phase)
    const words =
      phase === 'finishing'
        ? t(isDrawing ? 'drawnAnyway' : 'answeredAnyway')
        : phase === 'offline' || phase === 'reconnecting' || phase === 'stopping'
          ? t(phase)
          : t(isDrawing ? 'drawing' : 'waitingFor', { model })
    return (
      <footer className={styles.footer}>
        <span className={styles.phase} data-quiet={isQuiet}>
          {!isAnnounced && words}
          {/* Side by side, several answers would announce the same. */}
          <span className={styles.announced} aria-live={isLast ? 'polite' : undefined}>
            {isAnnounced && words}
          </span>
        </span>
      </footer>
    )
  }
  const { status } = message
  const last = parts.at(-1) ?? message
  return (
    <>
      {status === 'failed' && <AnswerFailure message={message} wasRunning={wasRunning} />}
      {status === 'stopped' && (
        <p className={styles.note}>{t(isUncharged(message) ? 'stoppedFree' : 'stopped')}</p>
      )}
      <AnswerEnd message={message} last={last} />
      {text !== '' && isUnfinished(message) && isLast && props.actions && last.id !== undefined && (
        <ContinueAnswer last={{ ...last, id: last.id }} actions={props.actions} />
      )}
      <footer className={styles.footer}>
        {hasButtons && <AnswerButtons {...props} />}
        <span className={styles.meta}>
          <MessageTime message={message} />
          {modelName && <span className={styles.model}>{modelName}</span>}
          {message.speech_receipt && <SpokenPrice receipt={message.speech_receipt} />}
          <AnswerPrice message={message} parts={parts} />
        </span>
      </footer>
    </>
  )
}

/** Errors that a retry with the same model would run into again. */
const FAILING_AGAIN: readonly AnswerErrorCode[] = [
  'model_not_found',
  'invalid_request',
  'unprocessable',
  'context_length_exceeded',
]

/** The actions on an answer. */
function AnswerButtons({ message, parts = [], text, versions, actions }: AnswerFooterProps) {
  const t = useTranslations('chat')
  const { audioEnabled } = useStore(settingsStore).settings
  const { id, status = 'completed', error_code: code = 'unknown' } = message
  const last = parts.at(-1) ?? message
  // A continuation that failed is retried by continuing again.
  const mayRetry = status !== 'completed' && last === message && !FAILING_AGAIN.includes(code)
  return (
    <>
      {text !== '' && (
        <CopyButton
          text={text}
          readHtml={answerHtml}
          label={t('copyAnswer')}
          shortcut="copyAnswer"
          iconOnly
        />
      )}
      {/* Before the buttons that disappear during the next answer, so that it stays in its place. */}
      {text !== '' && audioEnabled && <ReadAloud message={message} text={text} />}
      {actions && id !== undefined && mayRetry && (
        <Retry isInWords={text === ''} onClick={() => actions.answerAgain(id, actions.model)} />
      )}
      {actions && id !== undefined && !mayRetry && (
        <AnswerAgain answer={{ ...message, id }} actions={actions} />
      )}
      {actions && id !== undefined && (
        <MoreActions messageId={id} lastId={last.id} text={text} conversationId={actions.conversationId} />
      )}
      {actions && versions && id !== undefined && (
        <TurnVersions
          conversationId={actions.conversationId}
          versions={versions}
          shownId={versions.find(one => parts.some(part => part.id === one)) ?? id}
        />
      )}
    </>
  )
}

/** In words where there is nothing else to do, as nothing has been answered. */
function Retry({ isInWords, onClick }: { isInWords: boolean; onClick: () => void }) {
  const label = useTranslations('common')('retry')
  const icon = <Icon icon={RotateCcw} size={16} />
  if (!isInWords) return <IconButton size="small" label={label} icon={icon} onClick={onClick} />
  return (
    <Button variant="quiet" size="small" className={styles.retry} onClick={onClick}>
      {icon}
      {label}
    </Button>
  )
}

/** Why a completed answer is incomplete; nothing if it is complete. */
export function AnswerEnd({ message, last }: { message: Message; last: Message }) {
  const t = useTranslations('chat')
  const { status, finish_reason: reason } = message
  if (status !== 'completed') return null
  if (reason === 'content_filter') return <p className={styles.note}>{t('filtered')}</p>
  if (reason === 'length') return <AnswerLimit message={message} last={last} />
  const isEmpty =
    messageText(message) === '' && [...picturesOf(message), ...documentsOf(message)].length === 0
  return isEmpty && <p className={styles.note}>{t('emptyAnswer')}</p>
}

function AnswerLimit({ message, last }: { message: Message; last: Message }) {
  const t = useTranslations('chat')
  const steering = useTranslations('prompts')
  const money = useMoney()
  const { receipt } = message
  const words =
    receipt === undefined || isUncharged(message)
      ? t('cutOff')
      : t.rich(isCutByBalance(last) ? 'paused.byBalance' : 'paused.at', {
          price: money.about(receipt.cost_usd),
          nowrap: price => <Money text={price} />,
        })
  return <p className={styles.note}>{hasReachedOwnLength(last) ? steering('lengthReached') : words}</p>
}

/** Why the answer failed or broke off, and what to do. */
function AnswerFailure({ message, wasRunning }: { message: Message; wasRunning: boolean }) {
  const t = useTranslations('chat')
  const errorText = useErrorText()
  const code = message.error_code ?? 'unknown'
  const text =
    code === CONNECTION_LOST.code
      ? t('connectionLost')
      : code === REST_LOST.code
        ? t('restLost')
        : // The page's own requests are valid: the model's host refuses what the message contains.
          errorText(code === 'invalid_request' ? 'unprocessable' : code)
  return (
    <p className={styles.failure} role={wasRunning ? 'alert' : undefined}>
      {text}
    </p>
  )
}

/** What reading the answer aloud has cost, shown beside the price of the answer. */
function SpokenPrice({ receipt }: { receipt: SpeechReceipt }) {
  const t = useTranslations('speech')
  const money = useMoney()
  const { cost_usd: usd } = receipt
  return <Money text={t('spokenFor', { price: money.about(usd) })} exact={money.exact(usd)} />
}
