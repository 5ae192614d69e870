import { HeldAudio } from './held-audio'
import { type Payment, Purchase } from './paid-audio'
import type { Synthesis, SynthesisRequest } from './synthesize'

/** A text in a voice. */
export type Words = Pick<SynthesisRequest, 'modelId' | 'voiceId' | 'text'>

export interface SpeechSourcePorts {
  readonly synthesize: (request: SynthesisRequest) => Promise<Synthesis>
  readonly begin: () => Payment
  readonly held?: HeldAudio
}

/**
 * Gets sound for a text. Sound in memory is free, simultaneous calls share one request, and a request with an unknown
 * outcome is repeated under its own payment.
 */
export class SpeechSource {
  readonly #ports: SpeechSourcePorts
  readonly #held: HeldAudio
  readonly #underway = new Map<string, Promise<Blob>>()
  /** Purchases with an unknown outcome. Few, because each belongs to a failure that was shown. */
  readonly #open = new Map<string, Purchase>()

  constructor(ports: SpeechSourcePorts) {
    this.#ports = ports
    this.#held = ports.held ?? new HeldAudio()
  }

  holds(words: Words): boolean {
    return this.#held.has(nameOf(words))
  }

  /** `onBought` is called for a new synthesis, never for sound from memory. @throws ApiCallError */
  async get(words: Words, onBought: (bought: Synthesis) => void): Promise<Blob> {
    const name = nameOf(words)
    const held = this.#held.get(name) ?? this.#underway.get(name)
    if (held) return held
    const bought = this.#buy(name, words, onBought).finally(() => this.#underway.delete(name))
    this.#underway.set(name, bought)
    return bought
  }

  async #buy(name: string, words: Words, onBought: (bought: Synthesis) => void): Promise<Blob> {
    const purchase = this.#open.get(name) ?? new Purchase(this.#ports.begin)
    try {
      const bought = await purchase.make(payment => this.#ports.synthesize({ ...words, ...payment }))
      this.#held.put(name, bought.audio)
      onBought(bought)
      return bought.audio
    } finally {
      if (purchase.isOpen) this.#open.set(name, purchase)
      else this.#open.delete(name)
    }
  }
}

function nameOf({ modelId, voiceId, text }: Words): string {
  return JSON.stringify([modelId, voiceId, text])
}
