import { fieldsOf } from '@/lib/http/domain/is-object'
import { elevenLabsModelId } from '@/lib/speech/domain/elevenlabs-models'
import type { SpeechFormat, SpeechRequest } from './contract'
import { voiceOf } from './voice'

export const PCM_SAMPLES_PER_SECOND = 24_000

/**
 * OpenAI's formats by ElevenLabs' names; it has no AAC and no FLAC. It streams no WAV either
 * (`TextToSpeechStreamRequestOutputFormat` of its own clients), but the samples of one.
 */
const OUTPUT_FORMATS: Readonly<Partial<Record<SpeechFormat, string>>> = {
  mp3: 'mp3_44100_128',
  opus: 'opus_48000_128',
  wav: `pcm_${PCM_SAMPLES_PER_SECOND}`,
  pcm: `pcm_${PCM_SAMPLES_PER_SECOND}`,
}

/** The range of its own settings. */
const ELEVENLABS_SPEED = { min: 0.7, max: 1.2 } as const

/** A premade voice that every account has: George, the one of ElevenLabs' own examples. */
export const DEFAULT_VOICE_ID = 'JBFqnCBsd6RMkjVDRZzb'

interface ElevenLabsSpeech {
  /** Below the base URL. */
  path: string
  body: Record<string, unknown>
}

export type ConvertedSpeech =
  | ({ outcome: 'converted' } & ElevenLabsSpeech)
  | { outcome: 'refused'; param: string; message: string }

/** OpenAI's request as ElevenLabs' `POST /v1/text-to-speech/{voice_id}/stream`. */
export function convertElevenLabsSpeech(request: SpeechRequest): ConvertedSpeech {
  const {
    model,
    input,
    voice: _voice,
    response_format,
    speed,
    instructions: _instructions,
    stream_format,
    ...rest
  } = request
  const outputFormat = OUTPUT_FORMATS[response_format ?? 'mp3']
  if (outputFormat === undefined) {
    const names = Object.keys(OUTPUT_FORMATS).join(', ')
    return refused('response_format', `response_format is not valid for this model: expected ${names}.`)
  }
  if (speed != null && (speed < ELEVENLABS_SPEED.min || speed > ELEVENLABS_SPEED.max)) {
    const { min, max } = ELEVENLABS_SPEED
    return refused('speed', `speed is not valid for this model: expected a number from ${min} to ${max}.`)
  }
  if (stream_format === 'sse')
    return refused('stream_format', 'stream_format is not valid for this model: expected audio.')
  const voiceId = voiceOf(request) ?? DEFAULT_VOICE_ID
  const settings = fieldsOf(rest.voice_settings)
  const { voice_settings: _settings, ...passed } = rest
  return {
    outcome: 'converted',
    path: `/v1/text-to-speech/${encodeURIComponent(voiceId)}/stream?output_format=${outputFormat}`,
    body: {
      ...passed,
      text: input,
      model_id: elevenLabsModelId(model),
      ...(speed == null && Object.keys(settings).length === 0
        ? {}
        : { voice_settings: { ...settings, ...(speed == null ? {} : { speed }) } }),
    },
  }
}

function refused(param: string, message: string): ConvertedSpeech {
  return { outcome: 'refused', param, message }
}
