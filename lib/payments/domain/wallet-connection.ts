/** The fields of a Nostr Wallet Connect (NIP-47) connection string, except for its secret. */
export interface WalletConnection {
  readonly relayUrls: readonly string[]
}

const SCHEME = /^nostr\+?walletconnect:(?:\/\/)?/i
const KEY = /^[0-9a-f]{64}$/i
const LENGTH_MAX = 2_000
const RELAY_COUNT_MAX = 5
/** The only hosts that the frame's policy allows without TLS. */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost'])

/** Null for text that is not a connection string, or whose relay would be reached without TLS. */
export function readWalletConnection(text: string): WalletConnection | null {
  const connection = readOperatorWallet(text)
  return connection?.relayUrls.every(isPrivate) ? connection : null
}

/**
 * For the operator's own wallet, whose relay may be reached without TLS on their network. Null for text that is not a
 * connection string.
 */
export function readOperatorWallet(text: string): WalletConnection | null {
  const trimmed = text.trim()
  if (trimmed.length > LENGTH_MAX || !SCHEME.test(trimmed)) return null
  const address = parseAddress(trimmed.replace(SCHEME, 'https://'))
  const relayUrls = address?.searchParams.getAll('relay') ?? []
  const isWhole =
    address !== null && KEY.test(address.hostname) && KEY.test(address.searchParams.get('secret') ?? '')
  if (!isWhole || relayUrls.length === 0 || relayUrls.length > RELAY_COUNT_MAX) return null
  return relayUrls.every(url => /^wss?:$/.test(parseAddress(url)?.protocol ?? '')) ? { relayUrls } : null
}

function isPrivate(relayUrl: string): boolean {
  const { protocol, hostname } = new URL(relayUrl)
  return protocol === 'wss:' || LOOPBACK.has(hostname)
}

/** `URL.parse` is missing in the oldest supported browsers. */
function parseAddress(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null
}
