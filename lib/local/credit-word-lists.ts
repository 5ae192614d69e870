export type Locale = 'en' | 'es' | 'de' | 'fr' | 'it'

/** Every list that a backup may have been written in. */
export const WORD_LIST_LOCALES: readonly Locale[] = ['en', 'es', 'fr', 'it']

/** Fetched only when a backup is shown or restored: each list is 2,048 words. */
export async function loadWordList(locale: Locale): Promise<string[]> {
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
