import { asText, fieldsOf, isObject, listOf } from '@/lib/http/domain/is-object'
import { compare, isZero, parseDecimal } from '@/lib/money/decimal'

/** A speech model of this site, with its prices. */
export interface SpeechModel {
  readonly id: string
  /** Decimal dollars, as listed by `GET /v1/models`. */
  readonly prices: SpeechPrices
}

export interface SpeechPrices {
  /** Per character of the text; null if it is paid by the token instead. */
  readonly character: string | null
  /** Per token of the text. */
  readonly prompt: string
  readonly request: string
}

/** A transcription model of this site, with its prices. */
export interface ListeningModel {
  readonly id: string
  readonly prices: ListeningPrices
}

export interface ListeningPrices {
  /** Decimal dollars per started second of the recording. */
  readonly second: string
  /** Per token of its sound, and of what is written, for a model that is not paid by the second. */
  readonly sound: string
  readonly written: string
  /** The least that a recording costs, beside the price of the request. */
  readonly least: string
  readonly request: string
}

export interface OfferedVoice {
  readonly id: string
  readonly name: string
  /** As listed by the site, such as `en`; empty if it is not. */
  readonly language: string
  /** Models that have the voice; empty if the site does not say, which means all of them. */
  readonly modelIds: readonly string[]
}

/** How the site can read aloud. */
export interface SpeechOffer {
  readonly models: readonly SpeechModel[]
  /** Null if the list is not available. */
  readonly voices: readonly OfferedVoice[] | null
}

/** More entries than any provider has; further ones are ignored. */
const ENTRY_COUNT_MAX = 2_000

/** The speech models of `GET /v1/models?type=audio` that have a price. */
export function parseSpeechModels(body: unknown): readonly SpeechModel[] {
  return entriesOf(body).flatMap(entry => {
    const { id, type, pricing } = entry
    if (typeof id !== 'string' || type !== 'speech' || !isObject(pricing)) return []
    const character = dearest(pricing, 'input_character') || null
    const prompt = dearest(pricing, 'prompt')
    if (character === null && prompt === '') return []
    const prices = { character, prompt: prompt || '0', request: dearest(pricing, 'request') || '0' }
    return [{ id, prices }]
  })
}

/** The transcription models of `GET /v1/models?type=audio`. */
export function parseListeningModels(body: unknown): readonly ListeningModel[] {
  return entriesOf(body).flatMap(entry => {
    const { id, type, pricing } = entry
    if (typeof id !== 'string' || type !== 'transcription' || !isObject(pricing)) return []
    const of = (name: string) => dearest(pricing, name) || '0'
    const audio = parseDecimal(dearest(pricing, 'audio'))
    const prices = {
      second: of('input_second'),
      sound: of(audio && !isZero(audio) ? 'audio' : 'prompt'),
      written: of('completion'),
      least: of('recording_min'),
      request: of('request'),
    }
    return [{ id, prices }]
  })
}

/** The voices of `GET /v1/audio/voices`; entries without an id are ignored. */
export function parseVoices(body: unknown): readonly OfferedVoice[] {
  return entriesOf(body).flatMap(entry => {
    const { id, models } = entry
    if (typeof id !== 'string' || id === '') return []
    const modelIds = listOf(models).filter(one => typeof one === 'string')
    return [
      {
        id,
        name: asText(entry.name) || id,
        language: asText(entry.language),
        modelIds,
      },
    ]
  })
}

function entriesOf(body: unknown): Record<string, unknown>[] {
  return listOf(fieldsOf(body).data).slice(0, ENTRY_COUNT_MAX).filter(isObject)
}

/** What is charged if a price depends on the hour; empty if there is none. */
function dearest(pricing: Record<string, unknown>, name: string): string {
  const others = listOf(pricing.overrides).flatMap(override => (isObject(override) ? [override[name]] : []))
  return others.map(asText).reduce((most, text) => {
    const [left, right] = [parseDecimal(most), parseDecimal(text)]
    return right !== null && (left === null || compare(right, left) > 0) ? text : most
  }, asText(pricing[name]))
}
