/** What is known of an error when deciding whether to report it. */
export interface ObservedError {
  /** The class names of the error and of its causes, such as `TypeError`; none if a message is reported. */
  names: readonly string[]
  /** Including those of its causes. */
  message: string
  /** The status of the HTTP response that the error is about; null if there was none. */
  status: number | null
}

export type Verdict = 'report' | 'sample' | 'drop'

/** The specified share of ordinary errors. */
const ORDINARY_ERROR_SAMPLE_RATE = 0.1

/** Dropped before sending, whatever their message says. */
const DROPPED_NAMES = new Set(['ChunkLoadError', 'AbortError'])

/**
 * A chunk that did not load, in the words of various browsers and bundlers, some of which say "failed to fetch". It
 * happens to every page that was open while a new version was deployed.
 */
const CHUNK_LOAD =
  /chunk ?load|load(ing)? (css )?chunk|dynamically imported module|importing a module script/i

const ALWAYS_REPORTED = [
  'payment',
  'invoice',
  'credit',
  'insufficient',
  'unauthorized',
  'forbidden',
  'internal server error',
  'timeout',
  'network error',
  'failed to fetch',
  'btcpay',
  'lightning',
  'wallet',
]

const NEVER_REPORTED = ['script error', 'cancelled', 'canceled', 'aborted', 'navigation']

/**
 * Other browsers' words for two of the concerns that the list has in Chromium's: Firefox's and Safari's for "failed to
 * fetch", and the message of `AbortSignal.timeout` in all of them.
 */
const SAME_IN_OTHER_WORDS: readonly (readonly [pattern: RegExp, concern: string])[] = [
  [/networkerror|load failed/i, 'network error'],
  [/timed out|timeouterror/i, 'timeout'],
]

/**
 * Money comes first: a message that concerns a payment and also mentions a cancellation is reported, because one report
 * too many costs less than a missed one about money.
 */
export function classifyError({ names, message, status }: ObservedError): Verdict {
  if (names.some(name => DROPPED_NAMES.has(name)) || CHUNK_LOAD.test(message)) return 'drop'
  const text = textOf([...names, message].join(' '), status)
  if (ALWAYS_REPORTED.some(concern => text.includes(concern))) return 'report'
  if (NEVER_REPORTED.some(concern => text.includes(concern))) return 'drop'
  return 'sample'
}

/** @param draw uniformly distributed in [0, 1) */
export function isReported(verdict: Verdict, draw: number): boolean {
  return verdict === 'report' || (verdict === 'sample' && draw < ORDINARY_ERROR_SAMPLE_RATE)
}

/** Codes such as `insufficient_credit` count as words; a status counts as its reason phrase. */
function textOf(message: string, status: number | null): string {
  const words = message.toLowerCase().replaceAll('_', ' ')
  const others = SAME_IN_OTHER_WORDS.filter(([pattern]) => pattern.test(message)).map(
    ([, concern]) => concern,
  )
  return [words, ...others, status === null ? '' : statusReason(status).toLowerCase()].join(' ')
}

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
}

/** The standard's reason phrase (RFC 9110), which responses over HTTP/2 no longer contain. */
export function statusReason(status: number): string {
  return REASONS[status] ?? ''
}
