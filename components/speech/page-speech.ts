import { ApiCallError } from '@/lib/http/client/call-api'
import { creditIdStore } from '@/lib/local/credit-id'
import { createUuid } from '@/lib/local/uuid'
import { createAudioOutput } from '@/lib/speech/client/audio-output'
import { SpeechPlayer } from '@/lib/speech/client/speech-player'
import { SpeechSource } from '@/lib/speech/client/speech-source'
import { synthesize } from '@/lib/speech/client/synthesize'

/** Sound for words, paid for by this browser's credit. One for the page: what was bought is held here. */
export const speechSource = new SpeechSource({
  synthesize: async words => {
    const creditId = creditIdStore.getSnapshot()
    if (!creditId) throw new ApiCallError('insufficient_credit')
    return synthesize({ ...words, creditId })
  },
  createKey: createUuid,
})

/** One for the page: a second answer ends the first. */
export const speechPlayer = new SpeechPlayer(
  speechSource,
  createAudioOutput(() => new Audio()),
)
