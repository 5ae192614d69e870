/** What a connection string of Nostr Wallet Connect (NIP-47) names, beside its secret. */
export interface WalletConnection {
  readonly relayUrls: readonly string[]
}

const SCHEME = /^nostr\+?walletconnect:(?:\/\/)?/i
const KEY = /^[0-9a-f]{64}$/i
const LENGTH_MAX = 2_000
const RELAY_COUNT_MAX = 5
/** The frame's policy lets no other host be spoken to without TLS. */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost'])

/** Null for what no wallet gives out, or what would be sent in the clear. */
export function readWalletConnection(text: string): WalletConnection | null {
  const trimmed = text.trim()
  if (trimmed.length > LENGTH_MAX || !SCHEME.test(trimmed)) return null
  const address = URL.parse(trimmed.replace(SCHEME, 'https://'))
  const relayUrls = address?.searchParams.getAll('relay') ?? []
  const isWhole =
    address !== null && KEY.test(address.hostname) && KEY.test(address.searchParams.get('secret') ?? '')
  if (!isWhole || relayUrls.length === 0 || relayUrls.length > RELAY_COUNT_MAX) return null
  return relayUrls.every(isRelay) ? { relayUrls } : null
}

function isRelay(url: string): boolean {
  const relay = URL.parse(url)
  return relay?.protocol === 'wss:' || (relay?.protocol === 'ws:' && LOOPBACK.has(relay.hostname))
}
