import { randomBytes } from 'node:crypto'
import {
  type Nip47SingleMethod,
  type Nip47Transaction,
  NWCClient,
  NWCWalletService,
  NWCWalletServiceKeyPair,
} from '@getalby/sdk/nwc'
import { readBolt11 } from '@/lib/payments/domain/bolt11'
import { startRelay } from './wallet-relay'

/** NIP-47's kind for notifications that are encrypted with NIP-44. */
const NOTIFICATION_KIND = 23197

const METHODS: Nip47SingleMethod[] = ['get_info', 'make_invoice', 'pay_invoice', 'lookup_invoice']

type Service<Result> = Promise<{
  result: Result | undefined
  error: { code: string; message: string } | undefined
}>

/** The outcome of a payment that the wallet is asked for: an error of NIP-47, or money; null if it never answers. */
type Payment = { preimage: string } | { code: string } | null

interface WalletOptions {
  now?: () => number
  /** For a wallet that also pays. */
  payInvoice?: (lightningInvoice: string) => Promise<Payment>
}

/**
 * A Lightning wallet behind Nostr Wallet Connect: the library's own wallet service, and a relay on loopback between it
 * and its client. Tests make the payments.
 */
export async function startWalletStandIn(options: WalletOptions = {}) {
  const now = options.now ?? (() => Math.floor(Date.now() / 1000))
  const relay = await startRelay()
  const clientSecret = randomBytes(32).toString('hex')
  const walletSecret = randomBytes(32).toString('hex')
  const clientPubkey = new NWCClient({
    relayUrls: [relay.url],
    walletPubkey: '0'.repeat(64),
    secret: clientSecret,
  }).publicKey
  const keypair = new NWCWalletServiceKeyPair(walletSecret, clientPubkey)
  const service = new NWCWalletService({ relayUrls: [relay.url] })
  const transactions = new Map<string, Nip47Transaction>()
  /** The outgoing side of payments to itself. */
  const ownPayments = new Map<string, Nip47Transaction>()
  let isUntold = false
  let mayList = true
  let spoil: { clear: string | ((content: string) => string) } | { sealed: string } | null = null
  const encrypt = service.encrypt.bind(service)
  service.encrypt = async (keypair, content, type) => {
    if (spoil && 'sealed' in spoil) return spoil.sealed
    const clear = spoil?.clear ?? content
    return encrypt(keypair, typeof clear === 'function' ? clear(content) : clear, type)
  }

  await service.publishWalletServiceInfoEvent(walletSecret, METHODS, ['payment_received'])
  const unsubscribe = await service.subscribe(keypair, {
    makeInvoice: ({ amount, description = '', expiry = 3600 }) =>
      answer(() => {
        const transaction: Nip47Transaction = {
          type: 'incoming',
          state: 'pending',
          invoice: `lnbc${amount / 100}n1standin${randomBytes(16).toString('hex')}`,
          description,
          description_hash: '',
          preimage: '',
          payment_hash: randomBytes(32).toString('hex'),
          amount,
          fees_paid: 0,
          settled_at: 0,
          created_at: now(),
          expires_at: now() + expiry,
        }
        transactions.set(transaction.payment_hash, transaction)
        return transaction
      }),
    getInfo: () =>
      answer(() => ({
        alias: 'Stand-in',
        color: '',
        pubkey: keypair.walletPubkey,
        network: 'regtest',
        block_height: 1,
        block_hash: '',
        methods: METHODS,
      })),
    payInvoice: async ({ invoice }) => {
      const payment = options.payInvoice ? await options.payInvoice(invoice) : { code: 'RESTRICTED' }
      if (payment === null) return new Promise(() => {})
      const paymentHash = readBolt11(invoice)?.paymentHash ?? ''
      const isPaid = 'preimage' in payment
      const state = isPaid ? 'settled' : 'failed'
      const outgoing = {
        type: 'outgoing',
        state,
        invoice,
        payment_hash: paymentHash,
        settled_at: isPaid ? now() : 0,
      }
      transactions.set(paymentHash, outgoing as Nip47Transaction)
      return isPaid
        ? { result: { preimage: payment.preimage, fees_paid: 0 }, error: undefined }
        : { result: undefined, error: { code: payment.code, message: 'Not paid.' } }
    },
    lookupInvoice: ({ payment_hash: paymentHash = '' }) =>
      answer(() => ownPayments.get(paymentHash) ?? shown(transactions.get(paymentHash))),
    listTransactions: async ({ from = 0, until = Number.POSITIVE_INFINITY }) => {
      if (!mayList) return { result: undefined, error: { code: 'RESTRICTED', message: 'Not allowed.' } }
      const listed = [...transactions.values()].filter(
        ({ state, created_at: at }) => state === 'settled' && at > from && at <= until,
      )
      return answer(() => ({ transactions: listed, total_count: listed.length }))
    },
  })

  /** LNbits tells no state, and of all that is no longer pending that it was settled when it was created. */
  function shown(transaction: Nip47Transaction | undefined): Nip47Transaction | undefined {
    if (!isUntold || !transaction) return transaction
    const { state, created_at: createdAt, ...rest } = transaction
    const settledAt = state === 'pending' ? null : createdAt
    return { ...rest, created_at: createdAt, settled_at: settledAt } as Nip47Transaction
  }

  async function answer<Result>(make: () => Result | undefined): Service<Result> {
    const result = make()
    const error = result ? undefined : { code: 'NOT_FOUND', message: 'The invoice was not found.' }
    return { result, error }
  }

  function transactionOf(paymentHash: string): Nip47Transaction {
    const transaction = transactions.get(paymentHash)
    if (!transaction) throw new Error(`The stand-in has no invoice ${paymentHash}.`)
    return transaction
  }

  async function notify(paymentHash: string): Promise<void> {
    const content = JSON.stringify({
      notification_type: 'payment_received',
      notification: transactionOf(paymentHash),
    })
    const event = await service.signEvent(
      {
        kind: NOTIFICATION_KIND,
        created_at: now(),
        tags: [['p', clientPubkey]],
        content: await service.encrypt(keypair, content, 'nip44_v2'),
      },
      walletSecret,
    )
    await Promise.any(service.pool.publish([relay.url], event))
  }

  return {
    nwcUrl: `nostr+walletconnect://${keypair.walletPubkey}?relay=${encodeURIComponent(relay.url)}&secret=${clientSecret}`,
    transaction: transactionOf,
    /** A wallet may send more than was requested; the record then shows what arrived. */
    pay: (paymentHash: string, millisatoshis = transactionOf(paymentHash).amount) => {
      const paid = { state: 'settled', settled_at: now(), amount: millisatoshis }
      Object.assign(transactionOf(paymentHash), paid)
    },
    notify,
    forgetAskers: relay.forgetAskers,
    /** Like Alby Hub, it then shows the latest payment under the hash, which is the outgoing one. */
    payItself(paymentHash: string) {
      this.pay(paymentHash)
      ownPayments.set(paymentHash, { ...transactionOf(paymentHash), type: 'outgoing' })
    },
    /** The time of an unpaid invoice is over. */
    expire: (paymentHash: string) => {
      Object.assign(transactionOf(paymentHash), { state: 'failed' })
    },
    /** Behaves like the extension `nwcprovider` of LNbits; `mayList` is its permission to read the history. */
    setUntold: (untold: { mayList: boolean } | null) => {
      isUntold = untold !== null
      mayList = untold?.mayList ?? true
    },
    /** What it sends in place of each answer, or makes of it, or sends in place of its encrypted form. */
    setSpoiled: (instead: typeof spoil) => {
      spoil = instead
    },
    stop: async () => {
      unsubscribe()
      service.close()
      await relay.stop()
    },
  }
}
