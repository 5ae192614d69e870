import { ApiCallError } from '@/lib/http/client/call-api'
import { creditIdStore } from '@/lib/local/credit-id'
import { createUuid } from '@/lib/local/uuid'
import { createAudioOutput } from '@/lib/speech/client/audio-output'
import type { Payment } from '@/lib/speech/client/paid-audio'
import { SpeechPlayer } from '@/lib/speech/client/speech-player'
import { SpeechSource } from '@/lib/speech/client/speech-source'
import { synthesize } from '@/lib/speech/client/synthesize'

/** A payment from this browser's credit. @throws ApiCallError if there is none */
export function beginPayment(): Payment {
  const creditId = creditIdStore.getSnapshot()
  if (!creditId) throw new ApiCallError('insufficient_credit')
  return { creditId, idempotencyKey: createUuid() }
}

/** The page's one source of synthesized speech, paid for by this browser's credit. It caches what was bought. */
export const speechSource = new SpeechSource({ synthesize, begin: beginPayment })

/** The page's one player: reading a second answer stops the first. */
export const speechPlayer = new SpeechPlayer(
  speechSource,
  createAudioOutput(() => new Audio()),
)
