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

interface SpokenVoice extends ChosenVoice {
  readonly voice: OfferedVoice
}

/** Models without a service in their id are the site's own host's. Never the beginning of an id. */
export const OWN_SERVICE = '/'

/** The speech services of the site, each once, in its own order. */
export function speechServices(models: readonly SpeechModel[]): readonly string[] {
  return [...new Set(models.map(serviceOf))]
}

/** The service that reads aloud: the wished one if the site has it, else its first. Null where there is none. */
export function readingService(models: readonly SpeechModel[], wished: string): string | null {
  const services = speechServices(models)
  return services.includes(wished) ? wished : (services[0] ?? null)
}

/** The voices of the service that reads, each with the model that speaks with it. */
export function voicesOf({ models, voices }: SpeechOffer, wished: string): readonly SpokenVoice[] {
  const own = modelsOf(models, wished)
  return (voices ?? []).flatMap(voice => {
    const model = own.find(({ id }) => voice.modelIds.length === 0 || voice.modelIds.includes(id))
    return model ? [{ model, voiceId: voice.id, voice }] : []
  })
}

/**
 * The voice to read with: of the service that reads the wished one, else the first that it offers. Where
 * its voices are not to be had the wish is sent as it is. Null when the site has no speech model.
 */
export function chooseVoice(offer: SpeechOffer, wish: SpeechWish): ChosenVoice | null {
  const [model] = modelsOf(offer.models, wish.provider)
  if (!model) return null
  const spoken = voicesOf(offer, wish.provider)
  const wished = spoken.find(({ voiceId }) => voiceId === wish.voiceId)
  return wished ?? spoken[0] ?? { model, voiceId: wish.voiceId, voice: null }
}

function modelsOf(models: readonly SpeechModel[], wished: string): readonly SpeechModel[] {
  const service = readingService(models, wished)
  return models.filter(model => serviceOf(model) === service)
}

function serviceOf({ id }: SpeechModel): string {
  return id.includes('/') ? id.slice(0, id.indexOf('/')) : OWN_SERVICE
}
