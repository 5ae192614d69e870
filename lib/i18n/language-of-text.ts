/** Enough to know the language by; of long chats, every text is looked at. */
const READ_LENGTH_MAX = 240
/** The part of a text that is looked at, with as much code as words in it. */
export const LANGUAGE_LENGTH_MAX = 2 * READ_LENGTH_MAX
/** Punctuation such as dashes and quotation marks aside, nothing of another script. */
const ONLY_LATIN = /^[\0-\u024f\u2000-\u206f]*$/
const CODE = /(`{3,}|~{3,})[\s\S]*?(?:\1|$)|`[^`\n]*`/g

/** Scripts in which mostly one language is written. */
const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [/\p{Script=Arabic}/gu, 'ar'],
  [/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu, 'zh'],
  [/\p{Script=Hangul}/gu, 'ko'],
  [/\p{Script=Cyrillic}/gu, 'ru'],
  [/\p{Script=Greek}/gu, 'el'],
  [/\p{Script=Hebrew}/gu, 'he'],
  [/\p{Script=Devanagari}/gu, 'hi'],
  [/\p{Script=Thai}/gu, 'th'],
]
/** Letters that tell one language of such a script from the others. */
const TELLING: Readonly<Record<string, readonly [RegExp, string]>> = {
  zh: [/[\p{Script=Hiragana}\p{Script=Katakana}]/gu, 'ja'],
  ru: [/[іїєґ]/giu, 'uk'],
  ar: [/[پچژگ]/gu, 'fa'],
}

/** Languages that share an alphabet are told apart by their most frequent words. */
const WORDS = Object.entries({
  en: 'the of and to in is you that it for are with as this be have from not your can by or what how',
  de: 'der die das und ist nicht ein eine zu den dem des mit auf für sich es ich sie auch wie was von im wird',
  es: 'el la los las de que y en un una es por con para no se del al lo como más está son cómo qué su',
  fr: 'le la les de des et est un une que pour dans pas vous ce il elle en du au sur avec je ne qui sont comment',
  it: 'il la lo gli di che e è un una per non con del della in sono come si da al più anche ma nel cosa',
  pt: 'o a os as de que e é um uma para não com do da em no na por se mais como são está dos foi você ao',
  nl: 'de het een en van is niet dat te op zijn met voor die ik je er maar ook aan wordt hoe wat deze naar',
}).map(([language, words]) => [language, new Set(words.split(' '))] as const)

/** Prose has at least so many of them, and this share; both are lower in lists of names. */
const WORD_COUNT_MIN = 2
const WORD_SHARE_MIN = 1 / 6
/** Than of any other language. */
const LEAD_MIN = 1.3

/**
 * The language of a text in Markdown, for voices and fonts. Undefined unless it is rather certain: then the text is read
 * in the language of the page, which is also that of most texts.
 */
export function languageOfText(markdown: string): string | undefined {
  const text = markdown.slice(0, LANGUAGE_LENGTH_MAX).replace(CODE, ' ').slice(0, READ_LENGTH_MAX)
  const count: Count = pattern => text.match(pattern)?.length ?? 0
  const isLatin = ONLY_LATIN.test(text) || 2 * count(/\p{Script=Latin}/gu) >= count(/\p{L}/gu)
  if (!isLatin) return languageOfScript(count)
  return languageOfWords(text.toLowerCase().match(/\p{L}+/gu) ?? [])
}

type Count = (pattern: RegExp) => number

function languageOfScript(count: Count): string | undefined {
  const counts = SCRIPTS.map(([pattern, language]) => ({ language, count: count(pattern) }))
  const most = counts.reduce((best, one) => (one.count > best.count ? one : best))
  if (most.count === 0) return undefined
  const [letters, language] = TELLING[most.language] ?? []
  return letters && count(letters) > 0 ? language : most.language
}

function languageOfWords(words: readonly string[]): string | undefined {
  const counts = WORDS.map(([language, known]) => ({
    language,
    count: words.filter(word => known.has(word)).length,
  }))
  const [most, next] = counts.toSorted((left, right) => right.count - left.count)
  if (!most || !next || most.count < WORD_COUNT_MIN) return undefined
  const isClear = most.count >= LEAD_MIN * next.count && most.count >= WORD_SHARE_MIN * words.length
  return isClear ? most.language : undefined
}
