import { z } from 'zod'
import { type Decimal, parseDecimal } from '@/lib/money/decimal'
import type { GatewayId } from '@/lib/payments/domain/gateway'
import { METHOD_IDS, type MethodId } from '@/lib/payments/domain/payment-method'
import { readOperatorWallet } from '@/lib/payments/domain/wallet-connection'
import {
  baseUrl,
  type Environment,
  headerSecret,
  readGroup,
  readOne,
  readVariable,
  secret,
  token,
  url,
} from './read-group'
import { SettingsError } from './settings-error'

/** The seed of an Ed25519 key. */
const receiptKey = z
  .string()
  .regex(
    /^(?:[A-Za-z0-9+/]{43}=|[\w-]{43}=?)$/,
    'expected 32 bytes in base64, as `openssl rand -base64 32` makes them',
  )
  .transform(text => Buffer.from(text, 'base64'))
/** Stripe's dashboard shows the four beside each other, and each is refused only when it is used. */
const stripeSecretKey = headerSecret
  .refine(
    key => !key.startsWith('pk_'),
    'this is the publishable key, expected the secret one (sk_… or rk_…)',
  )
  .refine(
    key => !key.startsWith('whsec_'),
    'this is the webhook’s secret, expected the secret key (sk_… or rk_…)',
  )
const stripeWebhookSecret = secret.refine(
  key => !/^(?:pk|sk|rk|we)_/.test(key),
  'expected the signing secret of the webhook (whsec_…)',
)

/** How money comes in, and who keeps the books; null for whatever is not set. @throws SettingsError */
export function readPaymentSettings(environment: Environment) {
  return {
    topUpBonuses: readTopUpBonuses(environment),
    receiptKey: readOne(environment, 'RECEIPT_KEY', receiptKey),
    gateways: readGateways(environment),
    ...readPaymentsHost(environment),
  }
}

/** One group for each gateway that takes real money; typed by the list of gateways, so that none is forgotten. */
function readGateways(environment: Environment) {
  return {
    btcpay: readGroup(environment, {
      name: 'BTCPay Server',
      shape: {
        BTCPAY_URL: baseUrl,
        BTCPAY_STORE_ID: secret,
        BTCPAY_API_KEY: headerSecret,
        BTCPAY_WEBHOOK_SECRET: secret,
        BTC_RATE_URL: url.optional(),
      },
      turnedOnBy: ['BTCPAY_URL', 'BTCPAY_STORE_ID', 'BTCPAY_API_KEY', 'BTCPAY_WEBHOOK_SECRET'],
    }),
    stripe: readGroup(environment, {
      name: 'Stripe',
      shape: {
        STRIPE_SECRET_KEY: stripeSecretKey,
        STRIPE_WEBHOOK_SECRET: stripeWebhookSecret,
        STRIPE_API_BASE: baseUrl.optional(),
      },
      turnedOnBy: ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'],
    }),
    nwc: readGroup(environment, {
      name: 'Nostr Wallet Connect',
      shape: {
        NWC_URL: z
          .string()
          .refine(readOperatorWallet, 'expected nostr+walletconnect://<key>?relay=wss://…&secret=<key>'),
        BTC_RATE_URL: url.optional(),
      },
      turnedOnBy: ['NWC_URL'],
    }),
  } satisfies Record<Exclude<GatewayId, 'sandbox'>, object | null>
}

/** `btc-lightning=0.05,btc=0.02`: what a top-up by that method is credited in addition to the payment. */
function readTopUpBonuses(environment: Environment): Partial<Record<MethodId, Decimal>> {
  const entries = (readVariable(environment, 'TOPUP_BONUS') ?? '')
    .split(',')
    .filter(entry => entry.trim() !== '')
  const bonuses = entries.map(readTopUpBonus)
  const repeated = bonuses.find(([method], index) =>
    bonuses.slice(0, index).some(([other]) => other === method),
  )
  if (repeated) throw new SettingsError(`TOPUP_BONUS is not valid: it names ${repeated[0]} twice.`)
  return Object.fromEntries(bonuses)
}

function readTopUpBonus(entry: string): [MethodId, Decimal] {
  const [name = '', fractionText = ''] = entry.split('=').map(part => part.trim())
  const method = METHOD_IDS.find(known => known === name)
  const fraction = parseDecimal(fractionText)
  if (
    method &&
    fraction &&
    fraction.coefficient >= 0n &&
    fraction.coefficient <= 10n ** BigInt(fraction.scale)
  ) {
    return [method, fraction]
  }
  throw new SettingsError(
    `TOPUP_BONUS is not valid at "${entry.trim()}": expected ${METHOD_IDS.join(', ')} with a fraction from 0 to 1, such as btc-lightning=0.05.`,
  )
}

/**
 * With `PAYMENTS_HOST`, that host keeps this deployment's ledger and takes its payments, and the token authenticates
 * this deployment there. The token alone makes this deployment such a host.
 */
function readPaymentsHost(environment: Environment) {
  const isHost = readVariable(environment, 'PAYMENTS_HOST') === undefined
  return {
    paymentsHost: isHost
      ? null
      : readGroup(environment, {
          name: 'the payments host',
          shape: { PAYMENTS_HOST: baseUrl, PAYMENTS_HOST_TOKEN: headerSecret },
        }),
    servesAsHostToken: isHost ? readOne(environment, 'PAYMENTS_HOST_TOKEN', token) : null,
  }
}
