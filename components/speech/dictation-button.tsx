import { Mic } from 'lucide'
import { useTranslations } from 'next-intl'
import { useEffect, useRef, useState } from 'react'
import { useSWRConfig } from 'swr'
import { useBalance } from '@/components/credit/use-balance'
import { focusMessageBox, hasCoarsePointer } from '@/components/ui/focus'
import { Icon } from '@/components/ui/icon'
import { IconButton } from '@/components/ui/icon-button'
import { lazyPart } from '@/components/ui/lazy-part'
import { LiveRegion } from '@/components/ui/live-region'
import { useMoney } from '@/components/ui/money'
import text from '@/components/ui/text.module.css'
import { useStore } from '@/components/ui/use-store'
import { noticeStore } from '@/lib/local/notice/notice-store'
import { nanoToUsdNumber } from '@/lib/money/nano'
import { AUDIO_MODELS_PATH } from '@/lib/speech/client/fetch-audio-offer'
import type { WrittenSpeech } from '@/lib/speech/client/transcribe'
import { priceListening } from '@/lib/speech/domain/estimate-speech'
import { dictationStore, IDLE_DICTATION, isSilent, PRICE_CHANGED } from './dictation-store'
import { useListener } from './use-audio-offer'

type Dictate = typeof import('./dictate')

const importDictate = (): Promise<Dictate> => import('./dictate')

/** Loaded on the first press. */
const DictationPanel = lazyPart(async () => (await import('./dictation-panel')).DictationPanel, 'with-error')

interface DictationButtonProps {
  /** The draft that the text is added to. */
  draftId: string
}

/** Speaking instead of typing, if this browser can record and the site has a transcription model. */
export function DictationButton({ draftId }: DictationButtonProps) {
  const t = useTranslations('dictation')
  const common = useTranslations('common')
  const money = useMoney()
  const listener = useListener(canRecord())
  const { mutate } = useSWRConfig()
  const state = useStore(dictationStore)
  const { status, errorCode } = state
  const { shown: balance } = useBalance()
  const [isLoading, setLoading] = useState(false)
  const buttonRef = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    // The microphone stops on pages without this button; the recording is held.
    return () => {
      if (dictationStore.getSnapshot().status === 'idle') dictationStore.set(IDLE_DICTATION)
      else void importDictate().then(({ leave }) => leave())
    }
  }, [])
  if (listener === null) return null
  const minute = priceListening(listener.prices, 60)

  const tell = ({ text: words, costUsd }: WrittenSpeech) => {
    const outcome = words === '' ? 'wordless' : 'written'
    if (costUsd !== null) noticeStore.show('info', t(outcome, { price: money.about(costUsd) }))
    // The pressed button disappears. If the person has moved the focus elsewhere meanwhile, it stays there.
    const { activeElement: focused } = document
    if (focused !== document.body && !buttonRef.current?.parentElement?.contains(focused)) return
    // On a phone, focusing the text field would open the keyboard.
    if (words === '' || hasCoarsePointer()) buttonRef.current?.focus()
    else focusMessageBox()
  }
  const act = async (deed: (dictate: Dictate) => Promise<void>) => {
    // Without credit, say so before the person speaks rather than after.
    if (status === 'idle' && minute !== 0n && balance?.amountUsd === 0) {
      return dictationStore.set({ status, errorCode: 'insufficient_credit' })
    }
    try {
      setLoading(true)
      const dictate = await importDictate().finally(() => setLoading(false))
      // The page may have been left while the code was loading.
      if (buttonRef.current === null) return
      await deed(dictate)
      if (dictationStore.getSnapshot().errorCode === PRICE_CHANGED) await mutate(AUDIO_MODELS_PATH)
    } catch {
      // Only loading the code can throw here.
      dictationStore.set({ ...IDLE_DICTATION, errorCode: 'network' })
    }
  }
  const press = () => act(dictate => dictate.press(listener, draftId, tell))
  const recordAgain = () => {
    // The button that was pressed disappears.
    buttonRef.current?.focus()
    return act(dictate => dictate.recordAgain())
  }
  return (
    <>
      <IconButton
        ref={buttonRef}
        size="small"
        label={t('dictate')}
        title={minute === null ? undefined : t('priceHint', { price: money.about(nanoToUsdNumber(minute)) })}
        icon={<Icon icon={Mic} size={18} />}
        aria-pressed={status !== 'idle'}
        onClick={() => void (isSilent(state) ? recordAgain() : press())}
      />
      <LiveRegion>{isLoading && common('loading')}</LiveRegion>
      {(isLoading || status !== 'idle' || errorCode !== null) && (
        <DictationPanel
          fallback={<p className={text.hint}>{common('loading')}</p>}
          listener={listener}
          onWrite={() => void press()}
          onRecordAgain={() => void recordAgain()}
          onDiscard={() => {
            void importDictate().then(({ dictation }) => dictation.discard())
            buttonRef.current?.focus()
          }}
        />
      )}
    </>
  )
}

/** Recording needs HTTPS. */
function canRecord(): boolean {
  return typeof MediaRecorder === 'function' && navigator.mediaDevices !== undefined
}
