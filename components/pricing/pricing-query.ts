import {
  EVERYDAY_ANSWER_TOKEN_COUNT,
  EVERYDAY_QUESTION_TOKEN_COUNT,
  WORDS_PER_TOKEN,
} from '@/lib/catalogue/domain/everyday'
import { SORT_ORDERS, type SortOrder } from './select-rows'

/** What the page shows. All of it is in the address, so the page works without scripts. */
export interface PricingQuery {
  /** Every model, and not only the first ones of each kind. */
  isComplete: boolean
  search: string
  sort: SortOrder
  modelId: string | null
  messageCount: number
  wordsReadCount: number
  wordsWrittenCount: number
}

type SearchParams = Record<string, string | string[] | undefined>

/** Longer search texts match no model. */
const TEXT_LENGTH_MAX = 200

/** A month of regular use. */
const MESSAGE_COUNT_DEFAULT = 100
/** The words of an everyday message. */
export const WORDS_READ_DEFAULT = EVERYDAY_QUESTION_TOKEN_COUNT * WORDS_PER_TOKEN
const WORDS_WRITTEN_DEFAULT = EVERYDAY_ANSWER_TOKEN_COUNT * WORDS_PER_TOKEN

/** Far above any real use, far below where numbers lose precision. */
export const MESSAGE_COUNT_MAX = 1_000_000
/** More than the longest context of any model. */
export const WORD_COUNT_MAX = 1_000_000

/** Anything malformed or out of bounds becomes the default: an address is not worth an error. */
export function readPricingQuery(searchParams: SearchParams): PricingQuery {
  const text = (name: string) => {
    const value = searchParams[name]
    return typeof value === 'string' ? value.slice(0, TEXT_LENGTH_MAX) : ''
  }
  const count = (name: string, fallback: number, maximum: number) => {
    const value = Number(text(name) || Number.NaN)
    return Number.isInteger(value) && value >= 0 && value <= maximum ? value : fallback
  }
  return {
    isComplete: text('all') !== '',
    search: text('q').trim(),
    sort: SORT_ORDERS.find(order => order === text('sort')) ?? 'recommended',
    modelId: text('model') || null,
    messageCount: count('messages', MESSAGE_COUNT_DEFAULT, MESSAGE_COUNT_MAX),
    wordsReadCount: count('read', WORDS_READ_DEFAULT, WORD_COUNT_MAX),
    wordsWrittenCount: count('written', WORDS_WRITTEN_DEFAULT, WORD_COUNT_MAX),
  }
}

/** What an address says of it, as readPricingQuery reads it. */
export function parametersOf(query: PricingQuery) {
  return {
    q: query.search,
    sort: query.sort,
    model: query.modelId ?? '',
    messages: `${query.messageCount}`,
    read: `${query.wordsReadCount}`,
    written: `${query.wordsWrittenCount}`,
    all: query.isComplete ? '1' : '',
  }
}

/** The id of the first row that only the complete list has. */
export const MORE_ID = 'more'

/** The address of the same page with every model, where the further ones begin. */
export function completeAddress(path: string, query: PricingQuery): string {
  return `${path}?${new URLSearchParams(parametersOf({ ...query, isComplete: true }))}#${MORE_ID}`
}
