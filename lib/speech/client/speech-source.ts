import { HeldAudio } from './held-audio'
import { keepsKey } from './paid-audio'
import type { Synthesis, SynthesisRequest } from './synthesize'

/** Words in a voice. */
export type Words = Pick<SynthesisRequest, 'modelId' | 'voiceId' | 'text'>

export interface SpeechSourcePorts {
  readonly synthesize: (words: Words & { idempotencyKey: string }) => Promise<Synthesis>
  readonly createKey: () => string
  readonly held?: HeldAudio
}

/**
 * Sound for words. What is held is given again for nothing, two who ask at once share one request, and a
 * request of which nobody knows how it ended is repeated under its own key.
 */
export class SpeechSource {
  readonly #ports: SpeechSourcePorts
  readonly #held: HeldAudio
  readonly #underway = new Map<string, Promise<Blob>>()
  /** Keys of requests whose end is not known. Few: each belongs to a failure that was shown. */
  readonly #openKeys = new Map<string, string>()

  constructor(ports: SpeechSourcePorts) {
    this.#ports = ports
    this.#held = ports.held ?? new HeldAudio()
  }

  holds(words: Words): boolean {
    return this.#held.has(nameOf(words))
  }

  /** `onBought` is told of a new synthesis, never of sound that was held. @throws ApiCallError */
  async get(words: Words, onBought: (bought: Synthesis) => void): Promise<Blob> {
    const name = nameOf(words)
    const held = this.#held.get(name) ?? this.#underway.get(name)
    if (held) return held
    const bought = this.#buy(name, words, onBought).finally(() => this.#underway.delete(name))
    this.#underway.set(name, bought)
    return bought
  }

  async #buy(name: string, words: Words, onBought: (bought: Synthesis) => void): Promise<Blob> {
    const openKey = this.#openKeys.get(name)
    const idempotencyKey = openKey ?? this.#ports.createKey()
    this.#openKeys.set(name, idempotencyKey)
    try {
      const bought = await this.#ports.synthesize({ ...words, idempotencyKey })
      this.#openKeys.delete(name)
      this.#held.put(name, bought.audio)
      onBought(bought)
      return bought.audio
    } catch (thrown) {
      if (!keepsKey(thrown, openKey !== undefined)) this.#openKeys.delete(name)
      throw thrown
    }
  }
}

function nameOf({ modelId, voiceId, text }: Words): string {
  return JSON.stringify([modelId, voiceId, text])
}
