import { acceptsPrice } from '@/components/chat/asked-price'
import { draftStore, NEW_CHAT } from '@/components/chat/draft-store'
import { refreshBalance } from '@/components/credit/balance-store'
import { selectedConversationStore } from '@/lib/local/conversations/selected-conversation-store'
import { formatUsd, nanoToUsdNumber } from '@/lib/money/nano'
import { startRecorder } from '@/lib/speech/client/recorder'
import { transcribe, type WrittenSpeech } from '@/lib/speech/client/transcribe'
import { priceListening } from '@/lib/speech/domain/estimate-speech'
import type { ListeningModel } from '@/lib/speech/domain/speech-offer'
import { Dictation } from './dictation'
import { dictationStore } from './dictation-store'
import { beginPayment, speechPlayer } from './page-speech'

/** The page's one dictation, paid for by this browser's credit. */
export const dictation = new Dictation({ record: startRecorder, transcribe, begin: beginPayment })

/** The length that was shown and the length of the recording differ by less than this. */
const SECONDS_APART = 1

/**
 * Handles the microphone button: starts recording; or stops it, has it transcribed, and adds the text to the draft.
 *
 * @param onWritten called when the text is there
 */
export async function press(
  listener: ListeningModel,
  draftId: string,
  onWritten: (written: WrittenSpeech) => void,
): Promise<void> {
  const since = new Date().toISOString()
  const { status } = dictationStore.getSnapshot()
  if (status === 'idle') {
    // Sound from the player would be recorded too.
    speechPlayer.pause()
    return dictation.start()
  }
  if (status !== 'recording' && status !== 'held') return
  if (status === 'recording') await dictation.stop()
  // Nobody should pay for silence without having asked for it.
  if (status === 'recording' && dictationStore.getSnapshot().errorCode !== null) return
  const seconds = dictation.seconds()
  const price = priceListening(listener.prices, seconds)
  if (!(await acceptsPrice(price === null ? null : nanoToUsdNumber(price)))) return
  const most = priceListening(listener.prices, seconds + SECONDS_APART)
  const written = await dictation.write(listener.id, most === null ? null : formatUsd(most))
  if (!written) return
  append(draftId, since, written.text)
  onWritten(written)
  await refreshBalance()
}

/** Stops the microphone. The recording is held for when the person returns. */
export function leave(): void {
  if (dictationStore.getSnapshot().status === 'opening') dictation.discard()
  void dictation.stop()
}

/** Adds the text to what was typed meanwhile. If a chat was started meanwhile, the text goes into its draft. */
function append(draftId: string, since: string, words: string): void {
  const shown = selectedConversationStore.getSnapshot()
  // An older chat that was opened meanwhile is a different one.
  const id = draftId === NEW_CHAT && shown && shown.created_at >= since ? shown.id : draftId
  const draft = draftStore.get(id)
  const gap = draft.text === '' || /\s$/.test(draft.text) ? '' : ' '
  if (words !== '') draftStore.set(id, { ...draft, text: `${draft.text}${gap}${words}` })
}
