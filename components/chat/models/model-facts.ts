import { fieldsOf, isObject, listOf, readCount } from '@/lib/http/domain/is-object'
import { oncePer } from '@/lib/http/domain/once-per'
import { foldQuery, foldText } from '@/lib/local/domain/fold-text'
import type { Nano } from '@/lib/money/nano'
import type { ChatModel } from '../chat-model'

/** The abilities that people choose models by, as far as hosts report them. */
export const ABILITIES = ['pictures', 'draws', 'documents', 'reasoning', 'tools', 'speech'] as const
export type Ability = (typeof ABILITIES)[number]

/** What the list says about a model beyond its name and price. */
export interface ModelFacts {
  /** The maker; empty if the id does not say. */
  readonly maker: string
  readonly description: string
  /** Unix seconds; 0 if unknown. */
  readonly createdAtSeconds: number
  /** `2026-12-31`: it may be unavailable after that day. Null if no end is planned. */
  readonly withdrawnOn: string | null
  readonly abilities: ReadonlySet<Ability>
}

const DESCRIPTION_LENGTH_MAX = 4_000

/** Parsed on demand, since six hundred descriptions would delay the page. */
export const factsOf = oncePer((model: ChatModel): ModelFacts => {
  const { owned_by: owner, description, created, expiration_date: expires } = model.listed
  const isDated = typeof expires === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(expires)
  return {
    maker: typeof owner === 'string' && owner !== model.id ? owner : '',
    description: typeof description === 'string' ? description.slice(0, DESCRIPTION_LENGTH_MAX).trim() : '',
    createdAtSeconds: readCount(created) ?? 0,
    withdrawnOn: isDated && !Number.isNaN(Date.parse(expires)) ? expires : null,
    abilities: readAbilities(model),
  }
})

function readAbilities({ listed, draws, takesPictures, takesFiles, controls }: ChatModel) {
  const { architecture, supported_parameters: parameters, reasoning } = listed
  const modalities = fieldsOf(architecture)
  const made = listOf(modalities.output_modalities)
  const taken = listOf(parameters)
  const has: Record<Ability, boolean> = {
    pictures: takesPictures,
    draws: draws || made.includes('image'),
    documents: takesFiles,
    reasoning: controls.efforts.length > 0 || isObject(reasoning) || taken.includes('reasoning'),
    tools: taken.includes('tools'),
    speech: [...listOf(modalities.input_modalities), ...made].some(
      one => one === 'audio' || one === 'speech',
    ),
  }
  return new Set(ABILITIES.filter(ability => has[ability]))
}

export const MODEL_SORTS = ['price', 'context', 'newest'] as const
type ModelSort = (typeof MODEL_SORTS)[number]

export interface ModelSearch {
  readonly query: string
  /** The model must have all of them. */
  readonly abilities: ReadonlySet<Ability>
  readonly sort: ModelSort | 'suggested'
}

interface SearchHelp {
  /** The price of one message; null if unknown. */
  readonly priceOf: (model: ChatModel) => Nano | null
  /** What the abilities are called in the person's language. */
  readonly abilityWords: Readonly<Record<Ability, string>>
}

/**
 * The models that have every word of the query in their name, id, maker or abilities, and that have all of the given
 * abilities. Matches in the name come before those in maker or abilities. Models without the value to sort by go last.
 */
export function searchModels(
  models: readonly ChatModel[],
  { query, abilities, sort }: ModelSearch,
  { priceOf, abilityWords }: SearchHelp,
): readonly ChatModel[] {
  const words = foldQuery(query)
  const found = models.flatMap(model => {
    const facts = factsOf(model)
    if (![...abilities].every(ability => facts.abilities.has(ability))) return []
    const rank = rankOf(words, model, facts, abilityWords)
    return rank === null ? [] : [{ model, rank, value: sortValueOf(model, facts, sort, priceOf) }]
  })
  return found
    .sort((left, right) => compareValues(left.value, right.value) || left.rank - right.rank)
    .map(({ model }) => model)
}

/**
 * 0 if the name begins with the query, 1 if name or id contain it, 2 if maker or abilities do; null if nothing does.
 */
function rankOf(
  words: readonly string[],
  { name, id }: ChatModel,
  { maker, abilities }: ModelFacts,
  abilityWords: Readonly<Record<Ability, string>>,
): number | null {
  const called = foldText(`${name} ${id}`)
  const first = words[0]
  if (first === undefined) return 0
  if (words.every(word => called.includes(word))) return foldText(name).startsWith(first) ? 0 : 1
  const able = [...abilities].map(ability => abilityWords[ability]).join(' ')
  const all = `${called} ${foldText(`${maker} ${able}`)}`
  return words.every(word => all.includes(word)) ? 2 : null
}

/** Smaller values sort first; null if unknown. */
function sortValueOf(
  model: ChatModel,
  { createdAtSeconds }: ModelFacts,
  sort: ModelSort | 'suggested',
  priceOf: SearchHelp['priceOf'],
): number | null {
  if (sort === 'suggested') return 0
  if (sort === 'context') return model.windowTokens === null ? null : -model.windowTokens
  if (sort === 'newest') return createdAtSeconds === 0 ? null : -createdAtSeconds
  const price = priceOf(model)
  return price === null ? null : Number(price)
}

function compareValues(left: number | null, right: number | null): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null)
  return left - right
}
