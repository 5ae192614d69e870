import { bech32, hex } from '@scure/base'
import { MILLISATOSHIS_PER_BITCOIN } from './payment-method'

/** The fields of a BOLT11 invoice that are needed to sell by it. */
export interface Bolt11 {
  network: 'mainnet' | 'testnet' | 'signet' | 'regtest'
  /** Null if the payer chooses the amount. */
  millisatoshis: bigint | null
  /** SHA-256 in lowercase hex of the preimage that the payer receives. */
  paymentHash: string
}

const NETWORKS: Readonly<Record<string, Bolt11['network']>> = {
  bc: 'mainnet',
  tb: 'testnet',
  tbs: 'signet',
  bcrt: 'regtest',
}

export const MILLISATOSHIS_PER_SATOSHI = 1_000n
/** Of a bitcoin: "m" divides it by a thousand, and so on. */
const DIVISORS: Readonly<Record<string, bigint>> = {
  '': 1n,
  m: 10n ** 3n,
  u: 10n ** 6n,
  n: 10n ** 9n,
  p: 10n ** 12n,
}

/** Lengths in words of five bits. */
const TIME_WORD_COUNT = 7
export const SIGNATURE_WORD_COUNT = 104
const PAYMENT_HASH_TYPE = 1
const PAYMENT_HASH_WORD_COUNT = 52

/** Null for malformed text. The signature is not checked here: that is up to the payer's wallet. */
export function readBolt11(text: string): Bolt11 | null {
  const decoded = bech32.decodeUnsafe(text, false)
  const [, prefix = '', digits = '', multiplier = ''] =
    /^ln(bcrt|bc|tbs|tb)(?:(\d+)([munp]?))?$/.exec(decoded?.prefix ?? '') ?? []
  const network = NETWORKS[prefix]
  const paymentHash = decoded && findPaymentHash(decoded.words)
  if (!network || !paymentHash) return null
  const scaled = BigInt(digits || 0) * MILLISATOSHIS_PER_BITCOIN
  const divisor = DIVISORS[multiplier] ?? 1n
  if (scaled % divisor !== 0n) return null
  return { network, millisatoshis: digits ? scaled / divisor : null, paymentHash }
}

/** Only the first one counts, by BOLT11; a field of another length is not a payment hash. */
function findPaymentHash(words: readonly number[]): string | null {
  const fields = words.slice(TIME_WORD_COUNT, -SIGNATURE_WORD_COUNT)
  for (let at = 0; at + 3 <= fields.length; ) {
    const [type, high = 0, low = 0] = fields.slice(at, at + 3)
    const length = high * 32 + low
    const data = fields.slice(at + 3, at + 3 + length)
    at += 3 + length
    if (type !== PAYMENT_HASH_TYPE || length !== PAYMENT_HASH_WORD_COUNT) continue
    const bytes = bech32.fromWordsUnsafe(data)
    return bytes ? hex.encode(bytes) : null
  }
  return null
}
