import { X } from 'lucide'
import { useTranslations } from 'next-intl'
import { type ReactNode, useEffect, useReducer } from 'react'
import { TOP_UP_AND_RETURN } from '@/components/credit/top-up/return-path'
import { useBackOnline } from '@/components/request/use-request'
import { useErrorText } from '@/components/shell/use-error-text'
import { Button } from '@/components/ui/button'
import { formatDuration } from '@/components/ui/format-duration'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { LiveRegion } from '@/components/ui/live-region'
import { Money, useMoney } from '@/components/ui/money'
import text from '@/components/ui/text.module.css'
import { useStore } from '@/components/ui/use-store'
import { Link } from '@/lib/i18n/navigation'
import { nanoToUsdNumber } from '@/lib/money/nano'
import { priceListening } from '@/lib/speech/domain/estimate-speech'
import type { ListeningModel } from '@/lib/speech/domain/speech-offer'
import { dictation } from './dictate'
import styles from './dictation.module.css'
import {
  type DictationErrorCode,
  dictationStore,
  isSilent,
  NOTHING_HEARD,
  PRICE_CHANGED,
} from './dictation-store'
import { isOwn, MODEL_FAULTS } from './own-faults'

interface DictationPanelProps {
  listener: ListeningModel
  onWrite: () => void
  onRecordAgain: () => void
  onDiscard: () => void
}

/** The recording in progress: its length, loudness and price, and the transcription that follows. */
export function DictationPanel({ listener, onWrite, onRecordAgain, onDiscard }: DictationPanelProps) {
  const t = useTranslations('dictation')
  const common = useTranslations('common')
  const money = useMoney()
  const state = useStore(dictationStore)
  const { status, errorCode } = state
  useTicks(status === 'recording')
  useBackOnline(errorCode, () => dictationStore.set({ status, errorCode: null }))
  const seconds = Math.floor(dictation.seconds())
  const price = priceListening(listener.prices, seconds)
  const isOfNothing = isSilent(state)
  return (
    <div className={styles.panel} role="group" aria-label={t('dictate')}>
      {(status === 'recording' || status === 'held') && (
        <>
          <span className={styles.time} data-live={status === 'recording' || undefined} role="timer">
            {formatDuration(seconds)}
          </span>
          {status === 'recording' && (
            <svg className={styles.level} aria-hidden="true">
              <rect
                width={`${Math.sqrt(dictation.level()) * 100}%`}
                height="100%"
                rx="2"
                fill="currentColor"
              />
            </svg>
          )}
          {price !== null && price > 0n && (
            <Money text={`≈ ${money.about(nanoToUsdNumber(price))}`} className={styles.price} />
          )}
        </>
      )}
      {errorCode !== null && <Fault errorCode={errorCode} />}
      {status === 'opening' && <span className={text.hint}>{t('opening')}</span>}
      {/* By itself: whoever ends it has it written down at once. */}
      {status === 'held' && errorCode === null && <span className={text.hint}>{t('held')}</span>}
      <span className={styles.deeds}>
        {status !== 'writing' && (
          <IconButton
            size="small"
            label={status === 'idle' ? common('close') : t('discard')}
            icon={<Icon icon={X} size={18} />}
            onClick={onDiscard}
          />
        )}
        {status !== 'idle' && status !== 'opening' && (
          <Button
            size="small"
            variant={isOfNothing ? 'quiet' : 'primary'}
            loading={status === 'writing'}
            onClick={onWrite}
          >
            {status === 'writing' ? t('writing') : t('write')}
          </Button>
        )}
        {isOfNothing && (
          <Button size="small" onClick={onRecordAgain}>
            {common('retry')}
          </Button>
        )}
      </span>
      <LiveRegion>
        {status === 'opening' && t('opening')}
        {status === 'recording' && t('recording')}
        {status === 'held' && errorCode === null && t('held')}
        {status === 'writing' && t('writing')}
      </LiveRegion>
    </div>
  )
}

/** Why the dictation failed, and what to do. */
function Fault({ errorCode }: { errorCode: DictationErrorCode }): ReactNode {
  const t = useTranslations('dictation')
  const errorText = useErrorText()
  return (
    <p className={`${text.smallProblem} ${styles.fault}`} role="alert">
      {isOwn(OWN_FAULTS, errorCode)
        ? t(`faults.${errorCode}`)
        : errorCode === 'insufficient_credit'
          ? t.rich('tooLittle', { link: chunks => <Link href={TOP_UP_AND_RETURN}>{chunks}</Link> })
          : errorText(errorCode)}
    </p>
  )
}

const OWN_FAULTS = [
  'microphone_refused',
  'microphone_missing',
  'microphone_failed',
  NOTHING_HEARD,
  PRICE_CHANGED,
  ...MODEL_FAULTS,
] as const satisfies readonly DictationErrorCode[]

/** Often enough for people to see that they are heard. */
const LOOK_INTERVAL_MS = 100

/** Renders again at intervals while recording, to show the current length and loudness. */
function useTicks(isRecording: boolean): void {
  const [, tick] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    if (!isRecording) return
    const timer = setInterval(tick, LOOK_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [isRecording])
}
