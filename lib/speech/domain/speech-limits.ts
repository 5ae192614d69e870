/** Every bound of speech and transcription, with its reason. Tests shorten the times. */
export interface SpeechLimits {
  /** Connecting to an upstream on another continent takes well under a second. */
  connectTimeoutMs: number
  /** A long text takes some seconds until its first sound; a minute is a dead line. */
  firstByteTimeoutMs: number
  betweenBytesTimeoutMs: number
  /** An hour of recording takes a minute or two to be written down. */
  transcriptTimeoutMs: number
}

export const SPEECH_LIMITS: SpeechLimits = {
  connectTimeoutMs: 10_000,
  firstByteTimeoutMs: 60_000,
  betweenBytesTimeoutMs: 30_000,
  transcriptTimeoutMs: 600_000,
}

/** What the longest-winded model takes (ElevenLabs Flash v2.5); OpenAI's take a tenth and say so. */
export const INPUT_CHARACTER_COUNT_MAX = 40_000
/** The text in four-byte characters, escaped, and room for instructions. */
export const SPEECH_REQUEST_BYTES_MAX = 512 * 1024
/** OpenAI's bound on a recording. */
export const RECORDING_BYTES_MAX = 25 * 1024 * 1024
/** The recording and the few short fields around it. */
export const TRANSCRIPTION_REQUEST_BYTES_MAX = RECORDING_BYTES_MAX + 64 * 1024
/** A transcript of ten hours with the time of every word. */
export const TRANSCRIPT_BYTES_MAX = 32 * 1024 * 1024
