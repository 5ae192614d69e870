import { hexToBytes } from '@noble/hashes/utils.js'
import { API_KEY_PATTERN } from '@/lib/http/domain/api-key'
import type { Locale } from '@/lib/i18n/routing'
import { openedOnce } from './database/opened-once'
import { bytesToUuid, hexToUuid } from './uuid'

/**
 * The credit_id's 128 bits as twelve words with a checksum (BIP39), which a person can write on paper. German has no
 * BIP39 list and uses the English one.
 */
export async function creditIdToWords(creditId: string, locale: Locale): Promise<string> {
  const [{ entropyToMnemonic }, wordList] = await Promise.all([import('@scure/bip39'), loadWordList(locale)])
  return entropyToMnemonic(hexToBytes(creditId.replaceAll('-', '')), wordList)
}

export const WORD_COUNT = 12

export interface WrongWord {
  /** Counted from 1. */
  place: number
  /** Similar words of the list, the most likely first. */
  nearest: readonly string[]
}

export type CreditSecret =
  | { creditId: string }
  /** Nothing in the text looks like a credit, or more than one thing does. */
  | { problem: 'malformed' | 'several' }
  /** It spends a credit, and is easily taken for its key. */
  | { problem: 'apiKey' }
  | { problem: 'count'; count: number }
  /** Twelve words of which some are in no list, or, if none is wrong, whose checksum does not match. */
  | { problem: 'words'; words: readonly string[]; wrong: readonly WrongWord[] }

/**
 * Finds the credit_id in what a person typed or pasted: the id itself, or twelve words of any list, in any case and
 * spacing, numbered or not, with or without accents, or in the middle of a file.
 */
export async function parseCreditSecret(text: string): Promise<CreditSecret> {
  const normalized = normalize(text)
  const creditIds = creditIdsIn(normalized)
  if (creditIds.length > 0) return only(creditIds)
  if (API_KEY_PATTERN.test(text.trim())) return { problem: 'apiKey' }
  const { lists, restore } = await loadWordBook()
  const total = wordsIn(normalized)
  const groups = [[normalized], normalized.split(/\n\s*\n/), normalized.split('\n')].flatMap(parts =>
    parts.map(wordsIn).filter(words => words.length === WORD_COUNT),
  )
  for (const words of groups) {
    const creditId = lists.map(list => restore(words, list)).find(found => found !== null)
    if (creditId) return { creditId }
  }
  const group = likeliest(groups, lists)
  if (group) return { problem: 'words', words: group.words, wrong: wrongWords(group, restore) }
  // With other text before or after them: any twelve consecutive words whose checksum matches.
  const found = new Set<string>()
  for (let start = 0; start + WORD_COUNT <= Math.min(total.length, TEXT_WORDS_MAX); start += 1) {
    const words = total.slice(start, start + WORD_COUNT)
    for (const list of lists) found.add(restore(words, list) ?? '')
  }
  found.delete('')
  if (found.size > 0) return only([...found])
  const isMostlyWords = lists.some(list => 2 * knownCount(total, list) > total.length)
  return isMostlyWords && total.length !== WORD_COUNT
    ? { problem: 'count', count: total.length }
    : { problem: 'malformed' }
}

/** Whether the text contains a credit_id itself, whose surroundings may look like twelve words. */
export function holdsCreditId(text: string): boolean {
  return creditIdsIn(normalize(text)).length > 0
}

/** Words beginning with `start`, from the list that `others` belong to, or from the language's own without others. */
export async function completeWord(
  start: string,
  others: readonly string[],
  locale: Locale,
): Promise<readonly string[]> {
  const folded = fold(start)
  if (folded === '') return []
  const [{ lists }, own] = await Promise.all([loadWordBook(), loadWordList(locale)])
  const count = (list: WordList) => knownCount(others.map(fold), list) + (list.words === own ? 0.5 : 0)
  const [list] = lists.toSorted((one, other) => count(other) - count(one))
  return [...(list?.byFolded ?? [])]
    .filter(([known]) => known.startsWith(folded))
    .slice(0, COMPLETIONS_MAX)
    .map(([, word]) => word.normalize('NFC'))
}

const loadEnglish = () => import('@scure/bip39/wordlists/english.js')

/**
 * The lists that a backup may have been written in, by language. Fetched only when a backup is shown or restored,
 * because each has 2,048 words.
 */
const WORD_LISTS: Partial<Record<Locale, () => Promise<{ wordlist: string[] }>>> = {
  en: loadEnglish,
  es: () => import('@scure/bip39/wordlists/spanish.js'),
  fr: () => import('@scure/bip39/wordlists/french.js'),
  it: () => import('@scure/bip39/wordlists/italian.js'),
}

/** The language of the words that a page in the given one shows. */
export const languageOfWords = (locale: Locale): Locale => (WORD_LISTS[locale] ? locale : 'en')

async function loadWordList(locale: Locale): Promise<string[]> {
  const load = WORD_LISTS[languageOfWords(locale)] ?? loadEnglish
  return (await load()).wordlist
}

/** A pasted file has about sixty; longer texts are not searched for twelve matching words. */
const TEXT_WORDS_MAX = 500
const COMPLETIONS_MAX = 5
const NEAREST_MAX = 5
const DISTANCE_MAX = 2
/** Of twelve: with fewer it is something other than a backup with mistakes. */
const KNOWN_WORDS_MIN = 8

interface WordList {
  words: readonly string[]
  /** Without accents, which some keyboards lack; no two words of a list differ in accents alone. */
  byFolded: ReadonlyMap<string, string>
}

type Restore = (words: readonly string[], list: WordList) => string | null

const loadWordBook = openedOnce(readWordBook)

async function readWordBook(): Promise<{ lists: readonly WordList[]; restore: Restore }> {
  const [{ mnemonicToEntropy }, ...loaded] = await Promise.all([
    import('@scure/bip39'),
    ...Object.values(WORD_LISTS).map(async load => (await load()).wordlist),
  ])
  return {
    lists: loaded.map(words => ({ words, byFolded: new Map(words.map(word => [fold(word), word])) })),
    restore(words, { words: list, byFolded }) {
      const sentence = words.map(word => byFolded.get(fold(word)))
      if (sentence.includes(undefined)) return null
      try {
        return bytesToUuid(mnemonicToEntropy(sentence.join(' '), [...list]))
      } catch {
        // Words of this list whose checksum does not match.
        return null
      }
    },
  }
}

function only(creditIds: readonly string[]): CreditSecret {
  const [creditId] = creditIds
  return creditId !== undefined && creditIds.length === 1 ? { creditId } : { problem: 'several' }
}

function normalize(text: string): string {
  return (
    text
      .normalize('NFKD')
      .toLowerCase()
      // Joiners, soft hyphens and direction marks, which are invisible.
      .replace(/\p{Cf}/gu, '')
      .replace(/\p{Pd}/gu, '-')
  )
}

function creditIdsIn(text: string): string[] {
  const bare = text.replace(/[\s-]/g, '')
  if (/^[0-9a-f]{32}$/.test(bare)) return [hexToUuid(bare)]
  return [...new Set(text.match(/(?<![0-9a-z-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-z-])/g))]
}

/** Numbers, punctuation and spaces are not part of words. */
export function wordsIn(text: string): string[] {
  return (text.match(/(?:\p{L}\p{M}*)+/gu) ?? []).map(word => word.normalize('NFC'))
}

function fold(word: string): string {
  return word.normalize('NFKD').toLowerCase().replace(/\P{L}/gu, '')
}

function knownCount(words: readonly string[], { byFolded }: WordList): number {
  return words.filter(word => byFolded.has(fold(word))).length
}

/** The twelve words of which a list knows the most. */
function likeliest(groups: readonly (readonly string[])[], lists: readonly WordList[]) {
  const rated = groups.flatMap(words => lists.map(list => ({ words, list, known: knownCount(words, list) })))
  const [best] = rated.toSorted((one, other) => other.known - one.known)
  return best && best.known >= KNOWN_WORDS_MIN ? best : null
}

function wrongWords(
  { words, list }: { words: readonly string[]; list: WordList },
  restore: Restore,
): WrongWord[] {
  const indexes = words.flatMap((word, index) => (list.byFolded.has(fold(word)) ? [] : [index]))
  return indexes.map(index => {
    const near = nearestWords(words[index] ?? '', list)
    // If only one word is wrong, the checksum shows which candidates are possible.
    const isPossible = (word: string) => restore(words.with(index, word), list) !== null
    const possible = indexes.length === 1 ? near.filter(isPossible) : near
    return { place: index + 1, nearest: possible.slice(0, NEAREST_MAX).map(word => word.normalize('NFC')) }
  })
}

function nearestWords(wrong: string, { byFolded }: WordList): string[] {
  const folded = fold(wrong)
  return [...byFolded]
    .map(([known, word]) => ({ word, steps: known.startsWith(folded) ? 1 : distance(folded, known) }))
    .filter(({ steps }) => steps <= Math.min(DISTANCE_MAX, folded.length / 2))
    .toSorted((one, other) => one.steps - other.steps)
    .map(({ word }) => word)
}

/** The number of letters to replace, insert, delete or swap with their neighbour (optimal string alignment). */
function distance(one: string, other: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap && row > 1 && column > 1 ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = current
  }
  return last[other.length] ?? 0
}
