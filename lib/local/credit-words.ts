import { isUuid } from '@/lib/http/domain/uuid'
import { bytesToUuid, uuidToBytes } from './uuid'

/**
 * The credit_id's 128 bits as twelve words with a checksum (BIP39): what a person can write on paper.
 * German has no BIP39 list and uses the English one.
 */
export async function creditIdToWords(creditId: string, locale: Locale): Promise<string> {
  const [{ entropyToMnemonic }, wordList] = await Promise.all([import('@scure/bip39'), loadWordList(locale)])
  return entropyToMnemonic(uuidToBytes(creditId), wordList)
}

/**
 * Finds the credit_id in what a person typed or pasted: the id itself, or twelve words of any list, in
 * any case and spacing. Null when it is neither, or when the checksum says that a word is wrong.
 */
export async function parseCreditSecret(text: string): Promise<string | null> {
  const normalized = text.normalize('NFKD').trim().toLowerCase()
  if (isUuid(normalized)) return normalized
  const words = normalized.split(/[\s,;]+/).join(' ')
  if (words.split(' ').length !== 12) return null
  const { mnemonicToEntropy } = await import('@scure/bip39')
  for (const locale of WORD_LIST_LOCALES) {
    try {
      return bytesToUuid(mnemonicToEntropy(words, await loadWordList(locale)))
    } catch {
      // Not a sentence of this list; the next may know it.
    }
  }
  return null
}

type Locale = 'en' | 'es' | 'de' | 'fr' | 'it'

/** Every list that a backup may have been written in. */
const WORD_LIST_LOCALES: readonly Locale[] = ['en', 'es', 'fr', 'it']

/** Fetched only when a backup is shown or restored: each list is 2,048 words. */
async function loadWordList(locale: Locale): Promise<string[]> {
  switch (locale) {
    case 'es':
      return (await import('@scure/bip39/wordlists/spanish.js')).wordlist
    case 'fr':
      return (await import('@scure/bip39/wordlists/french.js')).wordlist
    case 'it':
      return (await import('@scure/bip39/wordlists/italian.js')).wordlist
    default:
      return (await import('@scure/bip39/wordlists/english.js')).wordlist
  }
}
