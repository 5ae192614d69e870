import { errorCodeOf } from '@/lib/http/client/call-api'
import { IDLE_PLAYER, type PlayerEvent, type PlayerState, reducePlayer } from '../domain/player-state'
import type { AudioOutput } from './audio-output'
import type { SpeechSource, Words } from './speech-source'
import type { Synthesis } from './synthesize'

/** An answer to be read aloud. */
export interface SpokenMessage {
  readonly messageId: string
  readonly modelId: string
  readonly voiceId: string
  readonly pieces: readonly string[]
  readonly speed: number
  /** Called for each newly paid piece, even after a stop. */
  readonly onBought: (bought: Synthesis) => void
}

/**
 * The page's only player: plays pieces in order, fetching one ahead. A stop does not cancel a request in progress: it
 * is paid for, and its sound is kept.
 */
export class SpeechPlayer {
  readonly #source: Pick<SpeechSource, 'get'>
  readonly #output: AudioOutput
  readonly #listeners = new Set<() => void>()
  #state = IDLE_PLAYER
  #reading: SpokenMessage | null = null

  constructor(source: Pick<SpeechSource, 'get'>, output: AudioOutput) {
    this.#source = source
    this.#output = output
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  getSnapshot = (): PlayerState => this.#state

  /** Stops whatever is being read. Resolves when this reading is over, however it ended. */
  async play(reading: SpokenMessage): Promise<void> {
    this.#output.prepare()
    this.#reading = reading
    this.#dispatch({ type: 'start', messageId: reading.messageId })
    try {
      await this.#read(reading)
      if (this.#reading === reading) this.#dispatch({ type: 'end' })
    } catch (thrown) {
      if (this.#reading === reading) this.#dispatch({ type: 'fail', errorCode: errorCodeOf(thrown) })
    }
  }

  pause(): void {
    if (this.#state.status === 'playing') this.#output.pause()
  }

  resume(): void {
    if (this.#state.status === 'paused') this.#output.resume()
  }

  stop(): void {
    this.#reading = null
    this.#output.stop()
    this.#dispatch({ type: 'stop' })
  }

  async #read(reading: SpokenMessage): Promise<void> {
    const whole = reading.pieces.reduce((sum, { length }) => sum + length, 0)
    let heard = 0
    for (const [index, piece] of reading.pieces.entries()) {
      const audio = await this.#soundOf(reading, index)
      if (this.#reading !== reading) return
      let isNextAsked = false
      const before = heard
      const end = await this.#output.play(audio, reading.speed, {
        onPlay: () => {
          this.#dispatch({ type: 'play' })
          // Not earlier: if the browser refuses to play a sound, no more should be bought.
          if (!isNextAsked) this.#askAhead(reading, index + 1)
          isNextAsked = true
        },
        onPause: () => this.#dispatch({ type: 'pause' }),
        onPosition: share =>
          this.#dispatch({ type: 'move', percent: ((before + share * piece.length) / whole) * 100 }),
      })
      if (this.#reading !== reading) return
      if (end === 'failed') return this.#fail()
      heard += piece.length
      if (index + 1 < reading.pieces.length) this.#dispatch({ type: 'load' })
    }
  }

  #fail(): void {
    this.#reading = null
    this.#dispatch({ type: 'fail', errorCode: 'playback' })
  }

  async #soundOf({ modelId, voiceId, pieces, onBought }: SpokenMessage, index: number): Promise<Blob> {
    const words: Words = { modelId, voiceId, text: pieces[index] ?? '' }
    return this.#source.get(words, onBought)
  }

  #askAhead(reading: SpokenMessage, index: number): void {
    if (index >= reading.pieces.length) return
    // A failure is shown when the piece is due, and then it is tried again.
    void this.#soundOf(reading, index).catch(() => undefined)
  }

  #dispatch(event: PlayerEvent): void {
    const next = reducePlayer(this.#state, event)
    if (next === this.#state) return
    this.#state = next
    for (const listener of [...this.#listeners]) listener()
  }
}
