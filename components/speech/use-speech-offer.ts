import useSWR from 'swr'
import { fetchSpeechOffer } from '@/lib/speech/client/fetch-speech-offer'
import type { SpeechOffer } from '@/lib/speech/domain/speech-offer'

/** Models and voices change rarely; the server decides what is charged in any case. */
const OFFER_FRESH_MS = 10 * 60_000
const RETRY_COUNT_MAX = 2

/** What the site can read with, asked once for the whole page; undefined until it is known. */
export function useSpeechOffer(): SpeechOffer | undefined {
  return useSWR('speech offer', fetchSpeechOffer, {
    dedupingInterval: OFFER_FRESH_MS,
    errorRetryCount: RETRY_COUNT_MAX,
    revalidateIfStale: false,
    revalidateOnFocus: false,
    revalidateOnReconnect: false,
  }).data
}
