/** Messages and frames are shorter; longer text is cut before it is searched. */
const SEARCHED_LENGTH_MAX = 8_000
const KEPT_LENGTH_MAX = 1_000

/** What the log says for every call; searching it would take longer than writing the line. No pattern is so short. */
const PLAIN_WORD = /^[a-z]{1,12}$/

type Replacement = readonly [pattern: RegExp, replacement: string | ((...matched: string[]) => string)]

/**
 * What must never be sent in a report, most specific first. Each pattern errs on the side of removing too much: a
 * report with less in it is still a report.
 */
const REPLACEMENTS: readonly Replacement[] = [
  // A wallet's connection contains the key that spends from it; a stack may have lost its first word.
  [/(?:nostr\+?)?walletconnect:[^\s"'<>]*/gi, '[wallet]'],
  // Settings and database addresses, including user and password.
  [/\b(?!https?:)[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>]*@[^\s"'<>]*/gi, '[address]'],
  [/\b(https?:\/\/)[^\s/"'<>@]*@/gi, '$1'],
  // Headers, as written in text and in JSON, and the same names in a form or a query.
  [
    /\b((?:proxy-)?authorization|x-api-key|api-key|x-credit-id|x-resume-key|set-cookie|cookie)(["']?\s*[:=]\s*["']?)[^\r\n"']*/gi,
    '$1$2[secret]',
  ],
  [
    /((?:credit_?id|api_?key|token|secret|password|passwd|bearer)["']?\s*[:=]\s*["']?)(?!\[)[^\s"'&,;}]+/gi,
    '$1[secret]',
  ],
  [/\b(bearer|basic)\s+[^\s"',;]+/gi, '$1 [secret]'],
  // Queries and fragments: a refill link's token is in the fragment.
  [/\?[^\s"'<>()?]*=[^\s"'<>()]*/g, '?[query]'],
  [/(\w|\/)#[^\s"'<>()]+/g, '$1#[fragment]'],
  // Which conversation somebody has open is private.
  [/(?<=\/c\/)[^\s"'<>()/:,;]+/g, '[conversation]'],
  [/\beyJ[\w-]+(?:\.[\w-]*){1,2}/g, '[token]'],
  [/(?<![A-Za-z])(?:sk|pk|rk|rf|whsec|sb_secret|sb_publishable)[-_][\w-]{4,}/gi, '[key]'],
  // From the beginning of a run alone: a long one without the sign would be searched from each of its characters.
  [
    /(?<![\p{L}\p{N}!#$%&'*+/=?^_`{|}~.-])[\p{L}\p{N}!#$%&'*+/=?^_`{|}~.-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu,
    '[email]',
  ],
  [/\b(?:ln(?:bc|tb|bcrt)|lnurl|nsec|npub)[a-z0-9]{16,}/gi, '[invoice]'],
  // Only the first segment of a credit_id may be reported.
  [/([0-9a-f]{8})(?:-|%2d)?[0-9a-f]{4}(?:(?:-|%2d)?[0-9a-f]{4}){2}(?:-|%2d)?[0-9a-f]{12}/gi, '$1-…'],
  // The twelve words of a backup: prose is interrupted by short words, capitals and full stops.
  [/(?:(?<![\p{L}\p{M}])[\p{Ll}\p{M}]{3,10}[\s,]+){11,}[\p{Ll}\p{M}]{3,10}/gu, '[words]'],
  // A JSON error quotes the text that could not be parsed.
  [/(?:'[^']*', )?(?:\.{3})?"[\s\S]*? is not valid JSON/g, '[text] is not valid JSON'],
  [/(JSON Parse error:[^"]*)"[\s\S]*"/g, '$1[text]'],
  // Anything else that is long and random: hashes, keys of other services, base64.
  [/[A-Za-z0-9+/_=-]{24,}/g, run => (isRandom(run) ? '[token]' : run)],
]

/** Removes anything from a text that could be a secret or identify a person. */
export function scrubText(text: string): string {
  if (PLAIN_WORD.test(text)) return text
  const searched = text.length > SEARCHED_LENGTH_MAX ? cutAtSpace(text) : text
  const scrubbed = REPLACEMENTS.reduce(
    (rest, [pattern, replacement]) =>
      typeof replacement === 'string'
        ? rest.replace(pattern, replacement)
        : rest.replace(pattern, replacement),
    searched,
  )
  return scrubbed.slice(0, KEPT_LENGTH_MAX)
}

/** Half a secret would match no pattern. */
function cutAtSpace(text: string): string {
  const beginning = text.slice(0, SEARCHED_LENGTH_MAX)
  // From the space before the last word: without it, the word would be searched from each of its characters.
  return beginning.slice(0, Math.max(0, beginning.search(/\s\S*$/)))
}

/**
 * Random text mixes digits with letters within one piece, or lower case, upper case and digits across several; a path
 * of words or a camel-case name does not.
 */
function isRandom(run: string): boolean {
  if (/\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run)) return true
  return run.split('/').some(piece => piece.length >= 24 && /\d/.test(piece) && /[a-z]/i.test(piece))
}
