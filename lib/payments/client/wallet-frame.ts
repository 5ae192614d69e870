/**
 * A person's wallet is asked from a frame without an origin. The wallet's relay is a host of the person's choice, which
 * is unknown when the page's policy is sent; a policy that let pages connect to any host would let an injected script
 * carry the credit's key anywhere. The frame has no storage, accepts one connection and one question, and before it
 * connects it removes from its own policy every script, and every host but that connection's relay. See
 * docs/decisions/wallet-in-a-frame.md.
 */
export const WALLET_FRAME_PATH = '/wallet.html'
/** The first message of the frame: it is ready to be asked. */
export const WALLET_FRAME_READY = 'wallet frame'

export const WALLET_FRAME_HTML = `<!doctype html><meta charset="utf-8"><meta name="robots" content="noindex"><title>Wallet</title><script>const script = document.createElement('script'); script.src = '/wallet.js'; document.head.append(script)</script>`

/**
 * What the script above loads runs, too: in Safari nothing is `'self'` to a document without an origin. A relay on the
 * same machine needs no certificate.
 */
export const WALLET_POLICY =
  "default-src 'none'; script-src 'sha256-kskqHmqOBFhn7ZcBcrKr2xFDaxHHo2RrMinafGU+MoI=' 'strict-dynamic'; connect-src wss: ws://127.0.0.1:* ws://localhost:*; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"

export type WalletQuestion =
  /** Asks what the connection may do. */
  | { readonly kind: 'introduce' }
  | { readonly kind: 'pay'; readonly lightningInvoice: string }
  | { readonly kind: 'look'; readonly paymentHash: string }

export interface WalletRequest {
  readonly connection: string
  /** The relays of `connection`. */
  readonly relayUrls: readonly string[]
  readonly question: WalletQuestion
}

export type WalletReply =
  | { readonly kind: 'introduced'; readonly methods: readonly string[] }
  | { readonly kind: 'paid' }
  | { readonly kind: 'found'; readonly state: 'settled' | 'failed' | 'open' }
  /** An error code of the wallet itself. */
  | { readonly kind: 'refused'; readonly code: string }
  /** Nothing was sent to the wallet. */
  | { readonly kind: 'unreachable' }
  /** The wallet was asked, and the outcome is unknown. */
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
    }): Promise<{ type?: string; state?: string; created_at?: number; settled_at?: number }>
    close(): void
  }
  readonly Nip47WalletError: new (...parts: never[]) => Error & { readonly code: string }
}

/** What runs in the frame once the library is loaded: one self-contained function, since it is sent as text. */
export function runWalletFrame(scope: FrameScope, nwc: NwcLibrary): void {
  // The library logs requests to the console.
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
    policy.content = `script-src 'none'; connect-src ${relayUrls.map(url => new URL(url).origin).join(' ')}`
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
          created_at: createdAt = 0,
          settled_at: settledAt = 0,
        } = await client.lookupInvoice({
          payment_hash: question.paymentHash,
        })
        // Without a state, LNbits gives both a paid and a failed one the time of its creation.
        const isSettled = state === 'settled' || (!state && settledAt > createdAt)
        const found = isSettled ? 'settled' : state === 'failed' ? 'failed' : 'open'
        // If payer and payee have the same wallet, it also knows the incoming side of the payment.
        reply = type === 'incoming' ? { kind: 'refused', code: 'NOT_FOUND' } : { kind: 'found', state: found }
      }
    } catch (error) {
      if (error instanceof nwc.Nip47WalletError) reply = { kind: 'refused', code: String(error.code) }
      else reply = { kind: hasAsked ? 'silent' : 'unreachable' }
    }
    client?.close()
    port.postMessage(reply)
  })
  // Nobody else can receive this: the frame's only parent is our page.
  scope.parent.postMessage('wallet frame', '*')
}

/** Reads the frame's reply. Anything unexpected counts as silence, never as a payment. */
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
