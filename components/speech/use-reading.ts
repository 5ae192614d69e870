import { useTranslations } from 'next-intl'
import { useMemo } from 'react'
import { acceptsPrice } from '@/components/chat/asked-price'
import { useStore } from '@/components/ui/use-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { settingsStore } from '@/lib/local/settings/settings-store'
import { nanoToUsdNumber } from '@/lib/money/nano'
import { type ChosenVoice, chooseVoice } from '@/lib/speech/domain/choose-voice'
import { estimateSpeech } from '@/lib/speech/domain/estimate-speech'
import { speakableText } from '@/lib/speech/domain/speakable-text'
import { splitSpeech } from '@/lib/speech/domain/split-speech'
import { speechPlayer, speechSource } from './page-speech'
import { recordSpeechCharge } from './record-speech-charge'
import { useSpeechOffer } from './use-audio-offer'

export interface ReadingPlan {
  /** All of the sound is cached: hearing it again costs nothing. */
  readonly isHeld: boolean
  /** The approximate price in dollars of what is not cached; null if the prices cannot be read. */
  readonly estimateUsd: number | null
  readonly start: () => void
}

/** How this answer would be read aloud; null while that is unknown, or if it is not possible. */
export function useReading(messageId: string, text: string): ReadingPlan | null {
  const t = useTranslations('speech')
  const { ttsProvider, defaultTtsVoice, defaultPlaybackSpeed } = useStore(settingsStore).settings
  const offer = useSpeechOffer()
  const code = t('codeLeftOut')
  const pieces = useMemo(() => splitSpeech(speakableText(text, { code })), [text, code])
  const chosen = useMemo(
    () => offer && chooseVoice(offer, { voiceId: defaultTtsVoice, provider: ttsProvider }),
    [offer, defaultTtsVoice, ttsProvider],
  )
  if (!chosen || pieces.length === 0) return null
  const unheard = piecesNotHeld(chosen, pieces)
  const estimate = estimateSpeech(chosen.model.prices, unheard)
  const estimateUsd = estimate === null ? null : nanoToUsdNumber(estimate)
  return {
    isHeld: unheard.length === 0,
    estimateUsd,
    start: () =>
      void acceptsPrice(estimateUsd).then(
        isAccepted => isAccepted && begin(messageId, chosen, pieces, defaultPlaybackSpeed),
      ),
  }
}

function piecesNotHeld({ model, voiceId }: ChosenVoice, pieces: readonly string[]): readonly string[] {
  return pieces.filter(text => !speechSource.holds({ modelId: model.id, voiceId, text }))
}

function begin(
  messageId: string,
  { model, voiceId }: ChosenVoice,
  pieces: readonly string[],
  speed: number,
): void {
  const conversationId = selectedConversationStore.selectedId() ?? ''
  void speechPlayer.play({
    messageId,
    modelId: model.id,
    voiceId,
    pieces,
    speed,
    onBought: bought => void recordSpeechCharge({ conversationId, messageId }, bought),
  })
}
