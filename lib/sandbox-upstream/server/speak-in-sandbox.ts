import 'server-only'
import { z } from 'zod'
import { readJson } from '@/lib/http/read-body'
import { WAV_SAMPLE_BYTES, wavHeader } from '@/lib/speech/domain/wav-header'

/** OpenAI's limit. */
const INPUT_LENGTH_MAX = 4_096
const SAMPLES_PER_SECOND = 16_000
const NOTE_SECONDS = 0.14
/** Ten seconds of humming are enough to hear that it works. */
const NOTE_COUNT_MAX = 72
const VOLUME = 0.25
/** A pentatonic scale: any order of its notes is pleasant. */
const SCALE_HERTZ = [220, 247, 277, 330, 370, 440] as const

const speechRequest = z.object({ input: z.string().min(1).max(INPUT_LENGTH_MAX) })

/** `POST /audio/speech` of the practice voice: one note per word. @throws ApiError */
export async function speakInSandbox(request: Request): Promise<Response> {
  const { input } = await readJson(request, speechRequest, 64 * 1024)
  const words = input.trim().split(/\s+/).slice(0, NOTE_COUNT_MAX)
  const audio = encodeWav(hum(words), SAMPLES_PER_SECOND)
  return new Response(new Uint8Array(audio), { headers: { 'content-type': 'audio/wav' } })
}

function hum(words: string[]): Float32Array {
  const noteSamples = Math.round(NOTE_SECONDS * SAMPLES_PER_SECOND)
  const samples = new Float32Array(noteSamples * words.length)
  words.forEach((word, position) => {
    const hertz = SCALE_HERTZ[word.length % SCALE_HERTZ.length] ?? SCALE_HERTZ[0]
    for (let index = 0; index < noteSamples; index += 1) {
      // A sine that fades in and out, so that notes do not click.
      const envelope = Math.sin((Math.PI * index) / noteSamples)
      const wave = Math.sin((2 * Math.PI * hertz * index) / SAMPLES_PER_SECOND)
      samples[position * noteSamples + index] = wave * envelope * VOLUME
    }
  })
  return samples
}

/** A WAV file with one channel of 16-bit samples, each from -1 to 1. */
export function encodeWav(samples: Float32Array, samplesPerSecond: number): Buffer {
  const levels = Buffer.alloc(samples.length * WAV_SAMPLE_BYTES)
  samples.forEach((sample, index) => {
    const level = Math.max(-1, Math.min(1, sample)) * 32_767
    levels.writeInt16LE(Math.round(level), index * WAV_SAMPLE_BYTES)
  })
  return Buffer.concat([wavHeader(samplesPerSecond, samples.length), levels])
}
