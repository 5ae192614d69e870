/**
 * A person's wallet is spoken to in a frame of no origin. Its relay is a host of the person's choice, which is not
 * known when a page's policy is sent: to let pages speak to any host would let whatever script finds its way into
 * one carry the credit's key anywhere. The frame has no storage, hears one connection and one question, and takes
 * all hosts but the relay of that connection out of its own policy before it speaks. See
 * docs/decisions/wallet-in-a-frame.md.
 */
export const WALLET_FRAME_PATH = '/wallet.html'
const WALLET_SCRIPT_PATH = '/wallet.js'
/** Its first word: it listens. */
export const WALLET_FRAME_READY = 'wallet frame'

export const WALLET_FRAME_HTML = `<!doctype html><meta charset="utf-8"><meta name="robots" content="noindex"><title>Wallet</title><script src="${WALLET_SCRIPT_PATH}" defer></script>`

/** A relay on this machine needs no certificate. */
export const WALLET_POLICY =
  "default-src 'none'; script-src 'self'; connect-src wss: ws://127.0.0.1:* ws://localhost:*; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"

export type WalletQuestion =
  /** What the connection may do. */
  | { readonly kind: 'introduce' }
  | { readonly kind: 'pay'; readonly lightningInvoice: string }
  | { readonly kind: 'look'; readonly paymentHash: string }

export interface WalletRequest {
  readonly connection: string
  /** Of `connection`. */
  readonly relayUrls: readonly string[]
  readonly question: WalletQuestion
}

export type WalletReply =
  | { readonly kind: 'introduced'; readonly methods: readonly string[] }
  | { readonly kind: 'paid' }
  | { readonly kind: 'found'; readonly state: 'settled' | 'failed' | 'open' }
  /** The wallet's own word. */
  | { readonly kind: 'refused'; readonly code: string }
  /** Nothing has left for the wallet. */
  | { readonly kind: 'unreachable' }
  /** It was asked, and what came of it is not known. */
  | { readonly kind: 'silent' }

interface Port {
  postMessage(reply: WalletReply): void
}

interface FrameScope {
  readonly parent: { postMessage(word: typeof WALLET_FRAME_READY, origin: string): void }
  readonly console: Record<'error' | 'warn', () => void>
  readonly document: {
    createElement(name: string): { httpEquiv?: string; content?: string }
    readonly head: { append(element: object): void }
  }
  addEventListener(
    type: 'message',
    listener: (event: {
      readonly source: unknown
      readonly data: WalletRequest
      readonly ports: readonly Port[]
    }) => void,
  ): void
}

interface NwcLibrary {
  readonly NWCClient: new (options: {
    nostrWalletConnectUrl: string
    requireSecret: boolean
  }) => {
    getWalletServiceInfo(): Promise<unknown>
    getInfo(): Promise<{ methods: readonly string[] }>
    payInvoice(request: { invoice: string }): Promise<unknown>
    lookupInvoice(request: {
      payment_hash: string
    }): Promise<{ type?: string; state?: string; settled_at?: number }>
    close(): void
  }
  readonly Nip47WalletError: new (...parts: never[]) => Error & { readonly code: string }
}

/** What runs in the frame behind the library, as one function that refers to nothing outside of itself. */
export function holdWallet(scope: FrameScope, nwc: NwcLibrary): void {
  // The library tells the console what it was asked.
  scope.console.error = () => {}
  scope.console.warn = () => {}
  let isUsed = false
  scope.addEventListener('message', async ({ source, data, ports }) => {
    const port = ports[0]
    if (source !== scope.parent || isUsed || !port) return
    isUsed = true
    const { connection, relayUrls, question } = data
    const policy = scope.document.createElement('meta')
    policy.httpEquiv = 'content-security-policy'
    policy.content = `connect-src ${relayUrls.map(url => new URL(url).origin).join(' ')}`
    scope.document.head.append(policy)
    let client: InstanceType<NwcLibrary['NWCClient']> | undefined
    let reply: WalletReply
    let hasAsked = false
    try {
      client = new nwc.NWCClient({ nostrWalletConnectUrl: connection, requireSecret: true })
      await client.getWalletServiceInfo()
      hasAsked = true
      if (question.kind === 'introduce') {
        const { methods } = await client.getInfo()
        reply = { kind: 'introduced', methods }
      } else if (question.kind === 'pay') {
        await client.payInvoice({ invoice: question.lightningInvoice })
        reply = { kind: 'paid' }
      } else {
        const {
          type,
          state,
          settled_at: settledAt,
        } = await client.lookupInvoice({
          payment_hash: question.paymentHash,
        })
        const isSettled = state === 'settled' || (!state && Boolean(settledAt))
        const found = isSettled ? 'settled' : state === 'failed' ? 'failed' : 'open'
        // Where payer and payee keep their money in one wallet, it also knows the other side of it.
        reply = type === 'incoming' ? { kind: 'refused', code: 'NOT_FOUND' } : { kind: 'found', state: found }
      }
    } catch (error) {
      if (error instanceof nwc.Nip47WalletError) reply = { kind: 'refused', code: String(error.code) }
      else reply = { kind: hasAsked ? 'silent' : 'unreachable' }
    }
    client?.close()
    port.postMessage(reply)
  })
  // Nobody else can hear it: the frame has one parent.
  scope.parent.postMessage('wallet frame', '*')
}

/** What the frame said, as far as it can be meant; anything else is silence, never a payment. */
export function readWalletReply(data: unknown): WalletReply {
  const { kind, methods, state, code } = Object(data) as Record<string, unknown>
  if (kind === 'introduced' && Array.isArray(methods)) {
    return { kind, methods: methods.filter(each => typeof each === 'string') }
  }
  if (kind === 'paid' || kind === 'unreachable') return { kind }
  if (kind === 'found' && (state === 'settled' || state === 'failed' || state === 'open'))
    return { kind, state }
  if (kind === 'refused' && typeof code === 'string') return { kind, code }
  return { kind: 'silent' }
}
