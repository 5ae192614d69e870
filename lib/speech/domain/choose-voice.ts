import type { OfferedVoice, SpeechModel, SpeechOffer } from './speech-offer'

/** The person's settings, neither of which has to exist on this site. */
export interface SpeechPreference {
  readonly voiceId: string
  readonly provider: string
}

export interface ChosenVoice {
  readonly model: SpeechModel
  readonly voiceId: string
  /** Null if the site's voices are not known, or this one is not among them. */
  readonly voice: OfferedVoice | null
}

interface SpokenVoice extends ChosenVoice {
  readonly voice: OfferedVoice
}

/** The service of models without a service in their id: the site's own host. Never the beginning of an id. */
export const OWN_SERVICE = '/'

/** The site's speech services, each once, in the site's order. */
export function speechServices(models: readonly SpeechModel[]): readonly string[] {
  return [...new Set(models.map(serviceOf))]
}

/** The service that reads aloud: the preferred one if the site has it, otherwise its first. Null if there is none. */
export function readingService(models: readonly SpeechModel[], preferred: string): string | null {
  const services = speechServices(models)
  return services.includes(preferred) ? preferred : (services[0] ?? null)
}

/** The voices of the service that reads aloud, each with the model that speaks with it. */
export function voicesOf({ models, voices }: SpeechOffer, preferred: string): readonly SpokenVoice[] {
  const own = modelsOf(models, preferred)
  return (voices ?? []).flatMap(voice => {
    const model = own.find(({ id }) => voice.modelIds.length === 0 || voice.modelIds.includes(id))
    return model ? [{ model, voiceId: voice.id, voice }] : []
  })
}

/**
 * The voice to read with: the preferred one if the service has it, otherwise its first. If the list of voices is not
 * available, the preferred id is sent as it is. Null if the site has no speech model.
 */
export function chooseVoice(offer: SpeechOffer, preference: SpeechPreference): ChosenVoice | null {
  const [model] = modelsOf(offer.models, preference.provider)
  if (!model) return null
  const spoken = voicesOf(offer, preference.provider)
  const preferred = spoken.find(({ voiceId }) => voiceId === preference.voiceId)
  return preferred ?? spoken[0] ?? { model, voiceId: preference.voiceId, voice: null }
}

function modelsOf(models: readonly SpeechModel[], preferred: string): readonly SpeechModel[] {
  const service = readingService(models, preferred)
  return models.filter(model => serviceOf(model) === service)
}

function serviceOf({ id }: SpeechModel): string {
  return id.includes('/') ? id.slice(0, id.indexOf('/')) : OWN_SERVICE
}
