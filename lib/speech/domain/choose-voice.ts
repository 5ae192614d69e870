import type { OfferedVoice, SpeechModel, SpeechOffer } from './speech-offer'

/** What a person has set; neither need exist on this site. */
export interface SpeechWish {
  readonly voiceId: string
  readonly provider: string
}

export interface ChosenVoice {
  readonly model: SpeechModel
  readonly voiceId: string
  /** Null when the site's voices are not known, or it does not name this one. */
  readonly voice: OfferedVoice | null
}

/**
 * The voice to read with: the wished one if the site has it, else the first that it offers. Where the list
 * of voices is not to be had the wish is sent as it is. Null when the site has no speech model.
 */
export function chooseVoice({ models, voices }: SpeechOffer, wish: SpeechWish): ChosenVoice | null {
  const preferred = [...models].sort((left, right) => rank(left, wish) - rank(right, wish))
  const [fallback] = preferred
  if (!fallback) return null
  if (!voices || voices.length === 0) return { model: fallback, voiceId: wish.voiceId, voice: null }
  const spoken = voices.flatMap(voice => {
    const model = preferred.find(({ id }) => voice.modelIds.length === 0 || voice.modelIds.includes(id))
    return model ? [{ model, voiceId: voice.id, voice }] : []
  })
  const wished = spoken.filter(({ voiceId }) => voiceId === wish.voiceId)
  const [choice] =
    wished.length > 0 ? wished : spoken.sort((a, b) => rank(a.model, wish) - rank(b.model, wish))
  return choice ?? { model: fallback, voiceId: wish.voiceId, voice: null }
}

/** Models of the wished provider first; otherwise the site's own order, because the sort is stable. */
function rank({ id }: SpeechModel, { provider }: SpeechWish): number {
  return id.startsWith(`${provider}/`) ? 0 : 1
}
