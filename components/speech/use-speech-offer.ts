import useSWR from 'swr'
import { fetchSpeechOffer } from '@/lib/speech/client/fetch-speech-offer'
import type { SpeechOffer } from '@/lib/speech/domain/speech-offer'

/** What the site can read with, asked once for the whole page: voices change rarely. Undefined until it is known. */
export function useSpeechOffer(): SpeechOffer | undefined {
  return useSWR('speech offer', fetchSpeechOffer, {
    revalidateIfStale: false,
    revalidateOnFocus: false,
    revalidateOnReconnect: false,
  }).data
}
