import { errorCodeOf } from '@/lib/http/client/call-api'
import { type Payment, Purchase } from '@/lib/speech/client/paid-audio'
import { MicrophoneError, type Recording, type RunningRecorder } from '@/lib/speech/client/recorder'
import type { TranscriptionOrder, WrittenSpeech } from '@/lib/speech/client/transcribe'
import { type DictationState, dictationStore, NOTHING_HEARD } from './dictation-store'

export interface DictationPorts {
  readonly record: (onEnd: () => void) => Promise<RunningRecorder>
  readonly transcribe: (order: TranscriptionOrder) => Promise<WrittenSpeech>
  readonly begin: () => Payment
}

/** The page's one microphone. A recording is held until it is transcribed or discarded. */
export class Dictation {
  readonly #ports: DictationPorts
  #recorder: RunningRecorder | null = null
  #recording: Recording | null = null
  /** The purchase of the held recording's transcript. */
  #purchase: Purchase

  constructor(ports: DictationPorts) {
    this.#ports = ports
    this.#purchase = new Purchase(ports.begin)
  }

  /** The current loudness, from 0 to 1. */
  level(): number {
    return this.#recorder?.level() ?? 0
  }

  /** The length of the recording so far. */
  seconds(): number {
    return this.#recorder?.seconds() ?? this.#recording?.seconds ?? 0
  }

  async start(): Promise<void> {
    if (this.#isNow('idle')) set('opening')
    else return
    try {
      const recorder = await this.#ports.record(() => {
        if (this.#recorder === recorder) void this.stop()
      })
      // Discarded while the browser was asking for permission.
      if (!this.#isNow('opening')) return void recorder.stop()
      this.#recorder = recorder
      set('recording')
    } catch (thrown) {
      // If it was discarded meanwhile, and perhaps restarted, this failure does not concern the current state.
      if (this.#isNow('opening')) set('idle', thrown instanceof MicrophoneError ? thrown.code : 'unknown')
    }
  }

  /** Ends the recording and holds it. */
  async stop(): Promise<void> {
    const recorder = this.#recorder
    if (!recorder) return
    this.#recorder = null
    const recording = await recorder.stop()
    // Discarded meanwhile, and perhaps restarted.
    if (!this.#isNow('recording') || this.#recorder) return
    this.#recording = recording
    this.#purchase = new Purchase(this.#ports.begin)
    set('held', recording.wasHeard ? null : NOTHING_HEARD)
  }

  /** Transcribes the held recording; null if that failed. @param mostUsd see `TranscriptionOrder` */
  async write(modelId: string, mostUsd: string | null): Promise<WrittenSpeech | null> {
    const recording = this.#recording
    if (!recording || !this.#isNow('held')) return null
    set('writing')
    try {
      const { audio } = recording
      const order = { modelId, audio, mostUsd }
      const written = await this.#purchase.make(payment => this.#ports.transcribe({ ...order, ...payment }))
      this.#recording = null
      set('idle', written.text === '' ? NOTHING_HEARD : null)
      return written
    } catch (thrown) {
      set('held', errorCodeOf(thrown))
      return null
    }
  }

  /** Does nothing during transcription, which is being paid for and will arrive. */
  discard(): void {
    if (this.#isNow('writing')) return
    void this.#recorder?.stop()
    this.#recorder = null
    this.#recording = null
    set('idle')
  }

  #isNow(status: DictationState['status']): boolean {
    return dictationStore.getSnapshot().status === status
  }
}

function set(status: DictationState['status'], errorCode: DictationState['errorCode'] = null): void {
  dictationStore.set({ status, errorCode })
  const listen = status === 'idle' || status === 'opening' ? removeEventListener : addEventListener
  listen('beforeunload', askBeforeLeaving)
}

/** What was spoken is in memory alone, and gone with the page. */
function askBeforeLeaving(event: Event): void {
  event.preventDefault()
}
