import { ApiCallError } from '@/lib/http/client/call-api'
import { creditIdStore } from '@/lib/local/credit-id'
import { createUuid } from '@/lib/local/uuid'
import { createAudioOutput } from '@/lib/speech/client/audio-output'
import type { Payment } from '@/lib/speech/client/paid-audio'
import { SpeechPlayer } from '@/lib/speech/client/speech-player'
import { SpeechSource } from '@/lib/speech/client/speech-source'
import { synthesize } from '@/lib/speech/client/synthesize'

/** A payment by this browser's credit. @throws ApiCallError where it has none */
export function beginPayment(): Payment {
  const creditId = creditIdStore.getSnapshot()
  if (!creditId) throw new ApiCallError('insufficient_credit')
  return { creditId, idempotencyKey: createUuid() }
}

/** Sound for words, paid for by this browser's credit. One for the page: what was bought is held here. */
export const speechSource = new SpeechSource({ synthesize, begin: beginPayment })

/** One for the page: a second answer ends the first. */
export const speechPlayer = new SpeechPlayer(
  speechSource,
  createAudioOutput(() => new Audio()),
)
