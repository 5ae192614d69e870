import { callApiForJson } from '@/lib/http/client/call-api'
import {
  type ListeningModel,
  type OfferedVoice,
  parseListeningModels,
  parseSpeechModels,
  parseVoices,
  type SpeechModel,
} from '../domain/speech-offer'

export const AUDIO_MODELS_PATH = '/v1/models?type=audio'
export const VOICES_PATH = '/v1/audio/voices'

export interface AudioModels {
  readonly speaking: readonly SpeechModel[]
  readonly listening: readonly ListeningModel[]
}

/** @throws ApiCallError */
export async function fetchAudioModels(): Promise<AudioModels> {
  const list = await callApiForJson({ method: 'GET', path: AUDIO_MODELS_PATH })
  return { speaking: parseSpeechModels(list), listening: parseListeningModels(list) }
}

/** Reading aloud works without the list: a voice's id is enough. */
export async function fetchVoices(): Promise<readonly OfferedVoice[] | null> {
  try {
    return parseVoices(await callApiForJson({ method: 'GET', path: VOICES_PATH }))
  } catch {
    return null
  }
}
