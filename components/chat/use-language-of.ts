import { useMemo } from 'react'
import { LANGUAGE_LENGTH_MAX, languageOfText } from '@/lib/i18n/language-of-text'

/** The language of a text that may still be growing; undefined while it is not certain. */
export function useLanguageOf(text: string): string | undefined {
  const beginning = text.slice(0, LANGUAGE_LENGTH_MAX)
  return useMemo(() => languageOfText(beginning), [beginning])
}
