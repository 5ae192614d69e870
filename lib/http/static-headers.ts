import { DIAGRAM_FRAME_PATH, DIAGRAM_POLICY } from '../diagrams/diagram-frame'
import { WALLET_FRAME_PATH, WALLET_POLICY } from '../payments/client/wallet-frame'
import { API_SEGMENTS, SANDBOX_UPSTREAM_PATH } from './api-segments'
import { STRICT_TRANSPORT_SECURITY } from './security-headers'

const NOT_SNIFFED = { key: 'x-content-type-options', value: 'nosniff' }

/**
 * Headers that are the same in every answer; next.config sends them. Referrers stay on this site:
 * `no-referrer` would also turn the Origin of our own form posts into `null`, which the cross-site
 * checks refuse.
 */
const EVERYWHERE = [
  { key: 'referrer-policy', value: 'same-origin' },
  NOT_SNIFFED,
  { key: 'x-frame-options', value: 'DENY' },
  { key: 'cross-origin-opener-policy', value: 'same-origin' },
  {
    key: 'permissions-policy',
    value: 'camera=(self), microphone=(self), geolocation=(), payment=(), usb=(), browsing-topics=()',
  },
]

const API_POLICY = { key: 'content-security-policy', value: "default-src 'none'; frame-ancestors 'none'" }

const API_HEADERS = Object.fromEntries([...EVERYWHERE, API_POLICY].map(({ key, value }) => [key, value]))
const API_HEADERS_HTTPS = { ...API_HEADERS, 'strict-transport-security': STRICT_TRANSPORT_SECURITY }

/** For answers of the API that Next does not write. */
export function apiHeaders({ isHttps }: { isHttps: boolean }): Readonly<Record<string, string>> {
  return isHttps ? API_HEADERS_HTTPS : API_HEADERS
}

/** For `headers()` in next.config. */
export function staticHeaders() {
  return [
    // Scripts and fonts need none of the others, and there are many of them to a page.
    { source: '/_next/static/:path*', headers: [NOT_SNIFFED] },
    { source: '/((?!_next/static/).*)', headers: EVERYWHERE },
    {
      source: '/:path*',
      has: [{ type: 'header' as const, key: 'x-forwarded-proto', value: 'https' }],
      headers: [{ key: 'strict-transport-security', value: STRICT_TRANSPORT_SECURITY }],
    },
    // An answer of the API is data: even if a browser renders it, nothing in it may run.
    { source: `/:segment(${API_SEGMENTS.join('|')})/:path*`, headers: [API_POLICY] },
    { source: `${SANDBOX_UPSTREAM_PATH}/:path*`, headers: [API_POLICY] },
    // Vercel's own scripts. Elsewhere a 404, which the middleware gives no policy.
    { source: '/_vercel/:path*', headers: [API_POLICY] },
    // It depends on the visitor's language.
    { source: '/manifest.webmanifest', headers: [{ key: 'vary', value: 'Accept-Language' }] },
    frameOfOurs(DIAGRAM_FRAME_PATH, DIAGRAM_POLICY),
    frameOfOurs(WALLET_FRAME_PATH, WALLET_POLICY),
  ]
}

/** A document without an origin, which our own pages may frame. */
function frameOfOurs(source: string, policy: string) {
  return {
    source,
    headers: [
      { key: 'x-frame-options', value: 'SAMEORIGIN' },
      { key: 'content-security-policy', value: policy },
    ],
  }
}
