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

/**
 * The models and voices that the site can read aloud with; undefined while they load. Voices are fetched only if there
 * is a model.
 */
export function useSpeechOffer(): SpeechOffer | undefined {
  const models = useSWRImmutable(AUDIO_MODELS_PATH, fetchAudioModels).data?.speaking
  const hasVoices = models !== undefined && models.length > 0
  const voices = useSWRImmutable(hasVoices ? VOICES_PATH : null, fetchVoices).data
  return useMemo(() => {
    if (models === undefined || (hasVoices && voices === undefined)) return undefined
    return { models, voices: voices === undefined ? [] : voices }
  }, [models, hasVoices, voices])
}

/** The cheapest transcription model; null if there is none, and while the models load. */
export function useListener(isWanted: boolean): ListeningModel | null {
  const models = useSWRImmutable(isWanted ? AUDIO_MODELS_PATH : null, fetchAudioModels).data?.listening
  return useMemo(() => cheapestListener(models ?? []), [models])
}
