import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { readWalletConnection } from '../domain/wallet-connection'
import {
  readWalletReply,
  runWalletFrame,
  WALLET_FRAME_HTML,
  WALLET_POLICY,
  type WalletQuestion,
  type WalletReply,
} from './wallet-frame'

const KEY = 'a'.repeat(64)
const SECRET = 'b'.repeat(64)
const connectionTo = (...relays: string[]) =>
  `nostr+walletconnect://${KEY}?${relays.map(relay => `relay=${encodeURIComponent(relay)}`).join('&')}&secret=${SECRET}`

class WalletError extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/** A frame whose wallet library gives the test’s answers, and which records its actions in order. */
function frame(answers: { info?: () => unknown; pay?: () => unknown; look?: () => unknown } = {}) {
  const done: string[] = []
  let hear: (event: { source: unknown; data: unknown; ports: readonly unknown[] }) => void = () => {}
  const parent = { postMessage: (word: unknown) => void done.push(String(word)) }
  class NWCClient {
    async getWalletServiceInfo() {
      done.push('connects')
      return answers.info?.()
    }
    async getInfo() {
      return { methods: ['pay_invoice'] }
    }
    async payInvoice({ invoice }: { invoice: string }) {
      done.push(`pays ${invoice}`)
      return answers.pay?.()
    }
    async lookupInvoice() {
      return answers.look?.() as { type?: string; state?: string; settled_at?: number; created_at?: number }
    }
    close() {
      done.push('closes')
    }
  }
  runWalletFrame(
    {
      parent,
      console: { error: () => {}, warn: () => {} },
      document: {
        createElement: () => ({}),
        head: { append: element => void done.push(Reflect.get(element, 'content')) },
      },
      addEventListener: (_type, listener) => {
        hear = listener as typeof hear
      },
    },
    { NWCClient, Nip47WalletError: WalletError as never },
  )
  const ask = (question: WalletQuestion, source: unknown = parent) =>
    new Promise<WalletReply | null>(resolve => {
      const connection = connectionTo('wss://relay.test:7000/path')
      const data = { connection, relayUrls: readWalletConnection(connection)?.relayUrls, question }
      hear({ source, data, ports: [{ postMessage: resolve }] })
      setImmediate(() => setImmediate(() => resolve(null)))
    })
  return { ask, done }
}

const PAY = { kind: 'pay', lightningInvoice: 'lnbc1' } as const
const fails = (error: Error) => () => {
  throw error
}

describe('the frame of a wallet', () => {
  test('may connect to a relay only, has no origin, and can only be framed by this site', () => {
    expect(WALLET_POLICY).toMatch(/^default-src 'none'; /)
    expect(WALLET_POLICY).toMatch(/; frame-ancestors 'self'; sandbox allow-scripts$/)
    expect(WALLET_POLICY).not.toMatch(/https?:|unsafe/)
  })

  test('its script is allowed by its text, since nothing is `self` to a frame without an origin in Safari', () => {
    const text = /<script>(.*)<\/script>/.exec(WALLET_FRAME_HTML)?.[1] ?? ''
    const hash = createHash('sha256').update(text).digest('base64')
    expect(WALLET_POLICY).toContain(`; script-src 'sha256-${hash}' 'strict-dynamic'; `)
  })

  test('restricts itself to the relay before it connects, and closes the connection afterwards', async () => {
    const { ask, done } = frame()
    expect(await ask(PAY)).toEqual({ kind: 'paid' })
    expect(done).toEqual([
      'wallet frame',
      "script-src 'none'; connect-src wss://relay.test:7000",
      'connects',
      'pays lnbc1',
      'closes',
    ])
  })

  test('answers only one question, and only from its own page', async () => {
    const { ask, done } = frame()
    expect(await ask(PAY, {})).toBeNull()
    await ask(PAY)
    expect(await ask(PAY)).toBeNull()
    expect(done.filter(each => each.startsWith('pays'))).toHaveLength(1)
  })

  test.each([
    ['a relay that cannot be reached', { info: fails(new Error('no relay')) }, PAY, { kind: 'unreachable' }],
    ['no answer to a payment', { pay: fails(new Error('reply timeout')) }, PAY, { kind: 'silent' }],
    [
      'a refusal',
      { pay: fails(new WalletError('QUOTA_EXCEEDED')) },
      PAY,
      { kind: 'refused', code: 'QUOTA_EXCEEDED' },
    ],
    [
      'a settled payment',
      { look: () => ({ state: 'settled' }) },
      { kind: 'look', paymentHash: KEY },
      'settled',
    ],
    [
      'a settled payment of an older wallet',
      { look: () => ({ settled_at: 7 }) },
      { kind: 'look', paymentHash: KEY },
      'settled',
    ],
    [
      'a payment that LNbits calls settled since it began, as it calls a failed one',
      { look: () => ({ settled_at: 7, created_at: 7 }) },
      { kind: 'look', paymentHash: KEY },
      'open',
    ],
    ['a failed payment', { look: () => ({ state: 'failed' }) }, { kind: 'look', paymentHash: KEY }, 'failed'],
    ['a pending payment', { look: () => ({ state: 'pending' }) }, { kind: 'look', paymentHash: KEY }, 'open'],
    [
      'an incoming payment as not found',
      { look: () => ({ type: 'incoming', state: 'settled' }) },
      { kind: 'look', paymentHash: KEY },
      { kind: 'refused', code: 'NOT_FOUND' },
    ],
  ] as const)('reports %s', async (_what, answers, question, reply) => {
    const expected = typeof reply === 'string' ? { kind: 'found', state: reply } : reply
    expect(await frame(answers).ask(question)).toEqual(expected)
  })

  test('anything but a valid reply is read as silence', () => {
    fc.assert(fc.property(fc.anything(), said => expect(readWalletReply(said)).toEqual({ kind: 'silent' })))
    expect(readWalletReply({ kind: 'found', state: 'paid' })).toEqual({ kind: 'silent' })
    expect(readWalletReply({ kind: 'paid', preimage: 'x' })).toEqual({ kind: 'paid' })
  })
})

test.each([
  ['wss://relay.test', true],
  ['ws://127.0.0.1:4000', true],
  ['ws://relay.test', false],
  ['https://relay.test', false],
  ["wss://relay.test; script-src 'unsafe-inline'", false],
  ['nothing', false],
])('a connection by the relay %s is accepted: %s', (relay, isOne) => {
  expect(readWalletConnection(connectionTo(relay)) !== null).toBe(isOne)
})

test.each([
  '',
  'https://example.com',
  `nostr+walletconnect://${KEY}?relay=wss://relay.test`,
  `nostr+walletconnect://short?relay=wss://relay.test&secret=${SECRET}`,
  `nostr+walletconnect://${KEY}?secret=${SECRET}`,
  connectionTo(...Array.from({ length: 6 }, () => 'wss://relay.test')),
])('%s is not accepted as a connection', text => {
  expect(readWalletConnection(text)).toBeNull()
})
