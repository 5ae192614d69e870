/** Enough for speech. */
const BITS_PER_SECOND = 32_000
/** The first that the browser supports; older versions of Safari only support the second. */
const TYPES = ['audio/webm;codecs=opus', 'audio/mp4']
/** A forgotten recording ends by itself: 2.4 MB, which every host accepts. */
const SECONDS_MAX = 600
/** How often the loudness is measured. */
const MEASURE_INTERVAL_MS = 100
/** Relative to full loudness: an active microphone in a silent room is above this. */
const SILENCE = 0.002

export interface Recording {
  readonly audio: Blob
  readonly seconds: number
  /** False if the microphone recorded nothing but silence. */
  readonly wasHeard: boolean
}

export interface RunningRecorder {
  /** The current loudness, from 0 to 1. */
  level(): number
  seconds(): number
  /** Ends the recording and releases the microphone. */
  stop(): Promise<Recording>
}

/** Why the microphone cannot be used. */
export class MicrophoneError extends Error {
  override readonly name = 'MicrophoneError'
  readonly code: 'microphone_refused' | 'microphone_missing' | 'microphone_failed'

  constructor(cause: unknown) {
    const name = cause instanceof Error ? cause.name : ''
    super(name, { cause })
    const isRefused = name === 'NotAllowedError' || name === 'SecurityError'
    // The latter in Safari: our own constraint is only a wish, which any microphone fulfils.
    const isMissing = name === 'NotFoundError' || name === 'OverconstrainedError'
    this.code = isRefused ? 'microphone_refused' : isMissing ? 'microphone_missing' : 'microphone_failed'
  }
}

/**
 * Asks for the microphone and records from it.
 * @param onEnd called when it has ended, also by itself, for example because a headset was unplugged
 * @throws MicrophoneError
 */
export async function startRecorder(onEnd: () => void): Promise<RunningRecorder> {
  const stream = await openMicrophone()
  let watched: Loudness | null = null
  const releaseMicrophone = () => {
    for (const track of stream.getTracks()) track.stop()
    watched?.end()
  }
  try {
    const loudness = watchLoudness(stream)
    watched = loudness
    const mimeType = TYPES.find(type => MediaRecorder.isTypeSupported(type))
    const recorder = new MediaRecorder(stream, { mimeType, audioBitsPerSecond: BITS_PER_SECOND })
    const pieces: Blob[] = []
    const startedAtMs = performance.now()
    const seconds = () => (performance.now() - startedAtMs) / 1000
    const stop = () => recorder.state !== 'inactive' && recorder.stop()
    const limit = setTimeout(stop, SECONDS_MAX * 1000)
    const ended = new Promise<Recording>(resolve => {
      recorder.ondataavailable = ({ data }) => pieces.push(data)
      recorder.onstop = () => {
        clearTimeout(limit)
        // From here on a browser may report the analyser's context as closed, which would count as heard.
        const wasHeard = loudness.wasHeard()
        releaseMicrophone()
        const audio = new Blob(pieces, { type: recorder.mimeType })
        resolve({ audio, seconds: seconds(), wasHeard })
        onEnd()
      }
    })
    recorder.start()
    return {
      level: loudness.level,
      seconds,
      stop() {
        stop()
        return ended
      },
    }
  } catch (cause) {
    releaseMicrophone()
    throw new MicrophoneError(cause)
  }
}

async function openMicrophone(): Promise<MediaStream> {
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } })
  } catch (cause) {
    throw new MicrophoneError(cause)
  }
}

type Loudness = ReturnType<typeof watchLoudness>

/** If the loudness cannot be measured, the recording counts as heard. */
function watchLoudness(stream: MediaStream) {
  const context = new AudioContext()
  const analyser = context.createAnalyser()
  context.createMediaStreamSource(stream).connect(analyser)
  const samples = new Float32Array(analyser.fftSize)
  let level = 0
  let loudest = 0
  const timer = setInterval(() => {
    analyser.getFloatTimeDomainData(samples)
    level = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
    loudest = Math.max(loudest, level)
  }, MEASURE_INTERVAL_MS)
  return {
    level: () => level,
    wasHeard: () => loudest >= SILENCE || context.state !== 'running',
    end() {
      clearInterval(timer)
      void context.close().catch(() => undefined)
    },
  }
}
