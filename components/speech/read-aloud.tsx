import { type IconNode, Pause, Play, Volume2, X } from 'lucide'
import { useTranslations } from 'next-intl'
import { type ComponentProps, type Ref, useEffect, useEffectEvent, useRef } from 'react'
import { finishedAnswerStore } from '@/components/chat/finished-answer-store'
import { TOP_UP_AND_RETURN } from '@/components/credit/top-up/return-path'
import { useBackOnline } from '@/components/request/use-request'
import { useErrorText } from '@/components/shell/use-error-text'
import { Button } from '@/components/ui/button'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { LiveRegion } from '@/components/ui/live-region'
import { Money, useMoney } from '@/components/ui/money'
import { useStore } from '@/components/ui/use-store'
import { VisuallyHidden } from '@/components/ui/visually-hidden'
import { Link } from '@/lib/i18n/navigation'
import type { Message } from '@/lib/local/domain/conversation'
import { settingsStore } from '@/lib/local/settings/settings-store'
import {
  IDLE_PLAYER,
  type PlayerState,
  type PlayerStatus,
  type SpeechErrorCode,
} from '@/lib/speech/domain/player-state'
import { isOwn, MODEL_FAULTS } from './own-faults'
import { speechPlayer } from './page-speech'
import styles from './read-aloud.module.css'
import { type ReadingPlan, useReading } from './use-reading'

interface ReadAloudProps {
  message: Message
  /** The text of the message as shown. */
  text: string
}

/**
 * The number of mounted components per message. The last page may unmount after a new one has mounted for the same
 * message, and must not stop its sound.
 */
const copyCounts = new Map<string, number>()

/** Reads one answer aloud: shows the price first, then pause, position and stop while it plays. */
export function ReadAloud({ message, text }: ReadAloudProps) {
  const t = useTranslations('speech')
  const messageId = message.id ?? ''
  const { status, percent, errorCode } = usePlayer(messageId)
  const plan = useReading(messageId, text)
  const mainRef = useRef<HTMLButtonElement>(null)
  useReadByItself(message, plan?.start ?? null)
  useBackOnline(errorCode, () => speechPlayer.stop())
  useEffect(() => {
    copyCounts.set(messageId, (copyCounts.get(messageId) ?? 0) + 1)
    return () => {
      const left = (copyCounts.get(messageId) ?? 1) - 1
      copyCounts.set(messageId, left)
      // The conversation was left, so its answer stops.
      if (left === 0 && speechPlayer.getSnapshot().messageId === messageId) speechPlayer.stop()
    }
  }, [messageId])
  if (!plan || messageId === '') return null

  const isUnderWay = status === 'loading' || status === 'playing' || status === 'paused'
  const stop = () => {
    speechPlayer.stop()
    // The pressed button disappears; the focus stays here.
    mainRef.current?.focus()
  }
  return (
    <>
      <MainButton ref={mainRef} status={status} plan={plan} />
      {isUnderWay && (
        <>
          <IconButton
            label={t('end')}
            icon={<Icon icon={X} size={16} />}
            size="small"
            className={styles.end}
            onClick={stop}
          />
          <progress className={styles.position} value={percent} max={100} aria-label={t('position')} />
        </>
      )}
      {errorCode !== null && <SpeechFailure errorCode={errorCode} />}
      <LiveRegion>
        {status === 'loading' && t('preparing')}
        {status === 'paused' && t('paused')}
        {status === 'ended' && t('ended')}
      </LiveRegion>
    </>
  )
}

interface MainButtonProps {
  ref: Ref<HTMLButtonElement>
  status: PlayerStatus
  plan: ReadingPlan
}

/** A single button for read, pause, continue and replay, so that it keeps the focus. */
function MainButton({ ref, status, plan }: MainButtonProps) {
  const t = useTranslations('speech')
  const money = useMoney()
  if (status === 'playing') {
    return <FooterButton ref={ref} icon={Pause} label={t('pause')} onClick={() => speechPlayer.pause()} />
  }
  if (status === 'paused') {
    return <FooterButton ref={ref} icon={Play} label={t('continue')} onClick={() => speechPlayer.resume()} />
  }
  if (status === 'loading') {
    return <FooterButton ref={ref} icon={null} label={t('preparing')} loading />
  }
  const { isHeld, estimateUsd, start } = plan
  const price = estimateUsd ? money.about(estimateUsd) : null
  const hint = isHeld ? t('againHint') : price === null ? undefined : t('priceHint', { price })
  const label = isHeld ? t('listenAgain') : t('readAloud')
  return (
    <FooterButton
      ref={ref}
      icon={Volume2}
      label={label}
      title={hint ? `${label}. ${hint}` : label}
      onClick={start}
    >
      {!isHeld && price !== null && <Money text={`≈ ${price}`} className={styles.estimate} />}
    </FooterButton>
  )
}

interface FooterButtonProps extends ComponentProps<typeof Button> {
  icon: IconNode | null
  label: string
}

/** A button in the line below an answer. Its icon has the label as accessible name. */
function FooterButton({ icon, label, children, ...rest }: FooterButtonProps) {
  return (
    <Button variant="quiet" size="small" title={label} {...rest} className={styles.button} data-read-aloud>
      {icon && <Icon icon={icon} size={16} />}
      <VisuallyHidden>{label}</VisuallyHidden> {children}
    </Button>
  )
}

/** Why the answer cannot be read aloud, and what to do. */
function SpeechFailure({ errorCode }: { errorCode: SpeechErrorCode }) {
  const t = useTranslations('speech')
  const errorText = useErrorText()
  if (errorCode === 'insufficient_credit') {
    return (
      <p className={styles.failure} role="alert">
        {t.rich('tooLittle', { link: chunks => <Link href={TOP_UP_AND_RETURN}>{chunks}</Link> })}
      </p>
    )
  }
  return (
    <p className={styles.failure} role="alert">
      {isOwn(OWN_FAULTS, errorCode) ? t(`faults.${errorCode}`) : errorText(errorCode)}
    </p>
  )
}

const OWN_FAULTS = ['playback', ...MODEL_FAULTS] as const satisfies readonly SpeechErrorCode[]

/** The state of the page's player for this message; idle while it plays another one. */
function usePlayer(messageId: string): PlayerState {
  return useStore({
    subscribe: speechPlayer.subscribe,
    getSnapshot: () => {
      const state = speechPlayer.getSnapshot()
      return state.messageId === messageId ? state : IDLE_PLAYER
    },
    getServerSnapshot: () => IDLE_PLAYER,
  })
}

/**
 * Starts reading an answer that was asked for on this page and has just finished, once, if the setting is on. Browsers
 * allow no sound before the person's first interaction, so nothing is bought before it either.
 */
function useReadByItself(message: Message, start: (() => void) | null): void {
  const { autoPlayTts } = useStore(settingsStore).settings
  // A boolean per answer, so that only the finished one renders again.
  const isFinished = useStore({
    subscribe: finishedAnswerStore.subscribe,
    getSnapshot: () => finishedAnswerStore.getSnapshot() === message.id,
    getServerSnapshot: () => false,
  })
  const isDue = isFinished && start !== null
  const takeNotice = useEffectEvent(() => {
    finishedAnswerStore.set(null)
    if (autoPlayTts && message.status === 'completed' && mayMakeSound()) start?.()
  })
  useEffect(() => {
    if (isDue) takeNotice()
  }, [isDue])
}

function mayMakeSound(): boolean {
  // Browsers that do not report it are tried: if they refuse, reading stays paused.
  return navigator.userActivation?.hasBeenActive ?? true
}
