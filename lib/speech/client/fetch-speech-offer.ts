import { callApiForJson } from '@/lib/http/client/call-api'
import { type OfferedVoice, parseSpeechModels, parseVoices, type SpeechOffer } from '../domain/speech-offer'

const AUDIO_MODELS_PATH = '/v1/models?type=audio'
const VOICES_PATH = '/v1/audio/voices'

/** What the site can read with. Its voices are asked for only when it can. @throws ApiCallError */
export async function fetchSpeechOffer(): Promise<SpeechOffer> {
  const models = parseSpeechModels(await callApiForJson({ method: 'GET', path: AUDIO_MODELS_PATH }))
  return { models, voices: models.length === 0 ? [] : await fetchVoices() }
}

/** Reading aloud works without the list: a voice's id is enough. */
async function fetchVoices(): Promise<readonly OfferedVoice[] | null> {
  try {
    return parseVoices(await callApiForJson({ method: 'GET', path: VOICES_PATH }))
  } catch {
    return null
  }
}
