import { acceptsPrice } from '@/components/chat/asked-price'
import { draftStore, NEW_CHAT } from '@/components/chat/draft-store'
import { refreshBalance } from '@/components/credit/balance-store'
import { hasCoarsePointer, MESSAGE_BOX_ID } from '@/components/ui/focus'
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
 * Handles the microphone button: starts recording; or stops it, has it transcribed, and writes the text into the draft.
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
  if (status === 'idle') return record()
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
  if (written.text !== '') insert(draftId, since, written.text)
  onWritten(written)
  await refreshBalance()
}

/** Records anew, in place of a recording of nothing. */
export function recordAgain(): Promise<void> {
  dictation.discard()
  return record()
}

function record(): Promise<void> {
  // Sound from the player would be recorded too.
  speechPlayer.pause()
  return dictation.start()
}

/** Stops the microphone. The recording is held for when the person returns. */
export function leave(): void {
  if (dictationStore.getSnapshot().status === 'opening') dictation.discard()
  void dictation.stop()
}

/** Writes the words at the caret. If a chat was started meanwhile, they go into its draft. */
function insert(draftId: string, since: string, words: string): void {
  const shown = selectedConversationStore.getSnapshot()
  // An older chat that was opened meanwhile is a different one.
  const id = draftId === NEW_CHAT && shown && shown.created_at >= since ? shown.id : draftId
  const box = document.getElementById(MESSAGE_BOX_ID)
  const isInBox = box instanceof HTMLTextAreaElement && id === (shown?.id ?? NEW_CHAT)
  const { text } = draftStore.get(id)
  // In a box that no finger has touched yet the caret is at the start, where nobody has put it.
  const hasCaret =
    isInBox && (box.selectionEnd > 0 || box.dataset.touched !== undefined || !hasCoarsePointer())
  // Selected text stays: nothing could bring it back.
  const caret = hasCaret ? box.selectionEnd : text.length
  const spoken = spaced(text.slice(0, caret), words, text.slice(caret))
  if (isInBox) {
    // Unlike a new value, this leaves the caret behind the words. React has to hear of it.
    box.setRangeText(spoken, caret, caret, 'end')
    box.dispatchEvent(new Event('input', { bubbles: true }))
  }
  const draft = draftStore.get(id)
  draftStore.set(id, { ...draft, text: `${text.slice(0, caret)}${spoken}${text.slice(caret)}` })
}

/** The words with the spaces that they need between what is before and after them. */
function spaced(before: string, words: string, after: string): string {
  const lead = /(^|[\s([{«“„¿¡])$/u.test(before) ? '' : ' '
  const trail = /^($|[\s.,;:!?…)\]}»”])/u.test(after) ? '' : ' '
  return `${lead}${words}${trail}`
}
