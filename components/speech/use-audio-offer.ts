import { useMemo } from 'react'
import useSWR from 'swr'
import {
  AUDIO_MODELS_PATH,
  fetchAudioModels,
  fetchVoices,
  VOICES_PATH,
} from '@/lib/speech/client/fetch-audio-offer'
import { cheapestListener } from '@/lib/speech/domain/estimate-speech'
import type { ListeningModel, SpeechOffer } from '@/lib/speech/domain/speech-offer'

/** Asked once for the whole page: models and voices change rarely. */
const ONCE = { revalidateIfStale: false, revalidateOnFocus: false, revalidateOnReconnect: false }

/** What the site can read with; its voices are asked for only when it can. Undefined until it is known. */
export function useSpeechOffer(): SpeechOffer | undefined {
  const models = useSWR(AUDIO_MODELS_PATH, fetchAudioModels, ONCE).data?.speaking
  const hasVoices = models !== undefined && models.length > 0
  const voices = useSWR(hasVoices ? VOICES_PATH : null, fetchVoices, ONCE).data
  return useMemo(() => {
    if (models === undefined || (hasVoices && voices === undefined)) return undefined
    return { models, voices: voices === undefined ? [] : voices }
  }, [models, hasVoices, voices])
}

/** Who writes down what is said; null where nobody does, and until it is known. */
export function useListener(isWanted: boolean): ListeningModel | null {
  const models = useSWR(isWanted ? AUDIO_MODELS_PATH : null, fetchAudioModels, ONCE).data?.listening
  return useMemo(() => cheapestListener(models ?? []), [models])
}
