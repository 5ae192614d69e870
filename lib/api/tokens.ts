import 'server-only'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import type { Services } from '@/lib/composition'
import { ApiError, type ApiErrorOptions } from '@/lib/http/api-error'
import { credentialText, setVerifiedCredential } from '@/lib/http/credential'
import { tryParseJson } from '@/lib/http/domain/try-parse-json'
import type { Credential } from '@/lib/ledger/domain/accounts'
import { readBolt11 } from '@/lib/payments/domain/bolt11'
import type { Invoice } from '@/lib/payments/domain/invoice'
import { isPreimageOf, type L402Token, readToken, tokenIdHash } from '@/lib/payments/server/l402-token'
import { paymentChallenge } from './payment-scheme'

/** A token as a client presents it, with the preimage that its payment revealed. */
export interface PresentedToken {
  token: string
  preimage: string
  /** In the Payment scheme: the challenge that it answers, verbatim. */
  challenge: Record<string, string> | null
}

/** A token that was paid for. */
export interface VerifiedToken extends L402Token {
  credential: Credential
  accountId: string
  invoice: Invoice
  isPaymentScheme: boolean
}

/**
 * A client that has the preimage has paid. The gateway may learn of it a moment later, and is asked again at most every
 * two seconds.
 */
const SETTLEMENT_WAITS_MS = [2_100, 2_100, 2_100] as const

const PAIR = /^([A-Za-z0-9+/]{100,400}={0,2}):([0-9a-f]{64})$/i

const paymentCredential = z.object({
  challenge: z.record(z.string(), z.string()),
  payload: z.object({ preimage: z.string().regex(/^[0-9a-f]{64}$/) }),
})

const opaque = z.object({ token: z.string() })

const VERIFIED = new WeakMap<Headers, VerifiedToken>()

/** The token that a request was paid with; null for any other credential, or none. */
export function verifiedToken(headers: Headers): VerifiedToken | null {
  return VERIFIED.get(headers) ?? null
}

/**
 * Verifies the token that a request presents, if any; from then on its headers count as an API key of the ledger. The
 * preimage must be that of the token's own invoice, and the gateway must have been paid: the preimage alone is not
 * enough.
 *
 * @throws ApiError invalid_credential
 */
export async function verifyRequestToken({ headers }: Request, services: Services): Promise<void> {
  const presented = readPresentedToken(headers)
  if (presented === null) return
  const verified = await verifyPaymentToken(services, presented)
  VERIFIED.set(headers, verified)
  setVerifiedCredential(headers, verified.credential)
}

/** @throws ApiError invalid_credential */
export async function verifyPaymentToken(
  { ledger, payments }: Pick<Services, 'ledger' | 'payments'>,
  { token: text, preimage, challenge }: PresentedToken,
  waitsMs: readonly number[] = SETTLEMENT_WAITS_MS,
): Promise<VerifiedToken> {
  const token = readToken(text)
  const credential = token && { kind: 'api_key' as const, secretHash: tokenIdHash(token.tokenId) }
  const account = credential && (await ledger.getBalance({ credential }))
  const invoice = account && (await payments.findInvoice({ invoiceId: token.invoiceId }))
  const isKnown = invoice?.accountId === account?.accountId && isPaidBy(invoice, token, preimage)
  if (!isKnown || !account || !invoice || !credential) {
    throw refused('This token is unknown, or the preimage does not belong to its invoice.', { isGuess: true })
  }
  if (challenge && !isAnswered(challenge, { invoice, token: text })) {
    throw refused('This challenge was not issued with this token.')
  }
  const { accountId } = account
  const settled = await settledInvoice({ payments }, { accountId, invoice, waitsMs })
  if (settled === null) {
    throw refused(
      'The gateway has not seen the payment of this invoice yet. Nothing was charged; try again with the same token.',
      { headers: { 'retry-after': '5' } },
    )
  }
  return { ...token, credential, accountId, invoice: settled, isPaymentScheme: challenge !== null }
}

function isPaidBy(invoice: Invoice | null, token: L402Token | null, preimage: string): boolean {
  const paymentHash = readBolt11(invoice?.lightningInvoice ?? '')?.paymentHash
  return (
    paymentHash !== undefined && paymentHash === token?.paymentHash && isPreimageOf(preimage, paymentHash)
  )
}

/** Compares every field of the challenge but the realm, since the site may have several names. */
function isAnswered(answered: Record<string, string>, input: { invoice: Invoice; token: string }): boolean {
  const given = paymentChallenge({ ...input, realm: answered.realm ?? '' })
  return given !== null && Object.entries(given).every(([name, value]) => answered[name] === value)
}

/** Null if the payment has not arrived in time. @throws GatewayError */
async function settledInvoice(
  { payments }: Pick<Services, 'payments'>,
  { accountId, invoice, waitsMs }: { accountId: string; invoice: Invoice; waitsMs: readonly number[] },
): Promise<Invoice | null> {
  if (invoice.creditedNano > 0n) return invoice
  const { invoiceId } = invoice
  for (const waitMs of [0, ...waitsMs]) {
    await wait(waitMs)
    const seen = await payments.getInvoice({ accountId, invoiceId })
    if (seen && seen.creditedNano > 0n) return seen
  }
  return null
}

/**
 * Reads a token in the scheme L402 (or LSAT, its earlier name), in the Payment scheme, or, from tools that have room
 * for nothing but an API key, as `<token>:<preimage>` in place of the key.
 *
 * @throws ApiError invalid_credential if one of these schemes carries something else
 */
function readPresentedToken(headers: Headers): PresentedToken | null {
  const [, scheme = '', value = ''] =
    /^(L402|LSAT|Payment)\s+(\S.*)$/i.exec(headers.get('authorization')?.trim() ?? '') ?? []
  if (scheme === '') return readPair(credentialText(headers) ?? '')
  const presented = scheme.toLowerCase() === 'payment' ? readPaymentCredential(value) : readPair(value)
  if (presented) return presented
  throw refused(
    'The Authorization header is not valid: expected "L402 <token>:<preimage>", or an answer to a Payment challenge.',
  )
}

/** @returns null for any other text */
export function readPair(text: string): PresentedToken | null {
  const [, token, preimage] = PAIR.exec(text) ?? []
  return token && preimage ? { token, preimage, challenge: null } : null
}

function readPaymentCredential(value: string): PresentedToken | null {
  const credential = paymentCredential.safeParse(jsonIn(value)).data
  const carried = opaque.safeParse(jsonIn(credential?.challenge.opaque ?? '')).data
  if (!credential || !carried) return null
  return { token: carried.token, preimage: credential.payload.preimage, challenge: credential.challenge }
}

function jsonIn(base64url: string): unknown {
  return tryParseJson(Buffer.from(base64url, 'base64url').toString())
}

function refused(message: string, options?: ApiErrorOptions): ApiError {
  return new ApiError('invalid_credential', message, options)
}
