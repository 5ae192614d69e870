import { useMemo } from 'react'
import useSWRImmutable from 'swr/immutable'
import {
  AUDIO_MODELS_PATH,
  fetchAudioModels,
  fetchVoices,
  VOICES_PATH,
} from '@/lib/speech/client/fetch-audio-offer'
import { cheapestListener } from '@/lib/speech/domain/estimate-speech'
import type { ListeningModel, SpeechOffer } from '@/lib/speech/domain/speech-offer'

/** What the site can read with; its voices are asked for only when it can. Undefined until it is known. */
export function useSpeechOffer(): SpeechOffer | undefined {
  const models = useSWRImmutable(AUDIO_MODELS_PATH, fetchAudioModels).data?.speaking
  const hasVoices = models !== undefined && models.length > 0
  const voices = useSWRImmutable(hasVoices ? VOICES_PATH : null, fetchVoices).data
  return useMemo(() => {
    if (models === undefined || (hasVoices && voices === undefined)) return undefined
    return { models, voices: voices === undefined ? [] : voices }
  }, [models, hasVoices, voices])
}

/** Who writes down what is said; null where nobody does, and until it is known. */
export function useListener(isWanted: boolean): ListeningModel | null {
  const models = useSWRImmutable(isWanted ? AUDIO_MODELS_PATH : null, fetchAudioModels).data?.listening
  return useMemo(() => cheapestListener(models ?? []), [models])
}
