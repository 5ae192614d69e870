import 'server-only'
import type { Catalogue } from '@/lib/catalogue/domain/model'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import type { MeteredReply } from '@/lib/ledger/server/metering/metered-reply'
import type { Metering } from '@/lib/ledger/server/metering/metering'
import { SPEECH_LIMITS, type SpeechLimits } from '../domain/speech-limits'
import type { Voice } from '../domain/voice'
import { createVoices } from './create-voices'
import { type SpeakInput, speak } from './speak'
import type { SpeechContext } from './speech-context'
import { type TranscribeInput, transcribe } from './transcribe'

/** The verbs of speech. The paid ones throw ApiError. */
export interface Speech {
  speak(input: SpeakInput): Promise<MeteredReply>
  transcribe(input: TranscribeInput): Promise<MeteredReply>
  /** Every voice that a model here speaks with; never fails. */
  listVoices(): Promise<readonly Voice[]>
}

export interface SpeechInput {
  metering: Metering
  catalogue: Catalogue
  upstreams: readonly UpstreamSettings[] | (() => Promise<readonly UpstreamSettings[]>)
  elevenLabs: UpstreamSettings | null
  limits?: Partial<SpeechLimits>
  now?: () => number
  report?: (message: string) => void
}

export function createSpeech(input: SpeechInput): Speech {
  const { upstreams, catalogue, elevenLabs } = input
  const context: SpeechContext = {
    metering: input.metering,
    catalogue,
    upstreams: typeof upstreams === 'function' ? upstreams : async () => upstreams,
    elevenLabs,
    limits: { ...SPEECH_LIMITS, ...input.limits },
  }
  const { now, report } = input
  return {
    speak: request => speak(context, request),
    transcribe: request => transcribe(context, request),
    listVoices: createVoices({ catalogue, elevenLabs, now, report }),
  }
}
