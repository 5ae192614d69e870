/** The origins besides this site that pages may load from, decided by the operator's settings. */
export interface PolicyOrigins {
  /** Frames: the support widget, the captcha, the analytics tag, each on its own origin. */
  frame: readonly string[]
  /** Requests from the browser: the sign-in service, the error collector. */
  connect: readonly string[]
}

interface PolicyInput {
  nonce: string
  /** For https: also asks browsers to upgrade any http address. */
  secure: boolean
  /** React's development build evaluates strings and the dev server injects styles. */
  development: boolean
  origins: PolicyOrigins
}

/**
 * The strict policy of every page: only scripts that carry this response's nonce, and what they load, run.
 * A bearer secret lies in local storage and model output is rendered beside it.
 */
export function contentSecurityPolicy({ nonce, secure, development, origins }: PolicyInput): string {
  const directives: Record<string, readonly string[]> = {
    'default-src': ["'self'"],
    'script-src': [`'nonce-${nonce}'`, "'strict-dynamic'", ...(development ? ["'unsafe-eval'"] : [])],
    'style-src': ["'self'", development ? "'unsafe-inline'" : `'nonce-${nonce}'`],
    'img-src': ["'self'", 'data:', 'blob:'],
    'media-src': ["'self'", 'data:', 'blob:'],
    'worker-src': ["'self'", 'blob:'],
    'connect-src': ["'self'", ...origins.connect],
    // Our own frames draw diagrams and talk to wallets; no other page of this site can be framed.
    'frame-src': ["'self'", ...origins.frame],
    'base-uri': ["'none'"],
    'object-src': ["'none'"],
    'frame-ancestors': ["'none'"],
    'form-action': ["'self'"],
    ...(secure ? { 'upgrade-insecure-requests': [] } : {}),
  }
  return Object.entries(directives)
    .map(([name, values]) => [name, ...values].join(' '))
    .join('; ')
}

/** Two years, as browsers' preload lists ask for. */
const STRICT_TRANSPORT_MAX_AGE_SECONDS = 63_072_000

export const STRICT_TRANSPORT_SECURITY = `max-age=${STRICT_TRANSPORT_MAX_AGE_SECONDS}; includeSubDomains`

/** Request headers from which Next reads a nonce: a visitor's own must never reach it. */
export const POLICY_REQUEST_HEADERS = [
  'content-security-policy',
  'content-security-policy-report-only',
  'x-nonce',
] as const
