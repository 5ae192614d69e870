import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import type { Credential } from '@/lib/ledger/domain/accounts'
import type { KeyRouting } from '@/lib/ledger/domain/keys'
import { minNano, type Nano, parseNano } from '@/lib/money/nano'
import type { ExchangeContext } from './exchange-context'
import type { Kind, Quote, QuoteInput } from './kind'

/** Keys whose wishes are remembered; few keys have any. */
const REMEMBERED_COUNT_MAX = 10_000

/** A request with its price, as it is for what a key wants. */
export interface KeyQuote {
  quote: Quote
  keyRouting: KeyRouting | null
}

export type UnroutedQuoteInput = Omit<QuoteInput, 'keyRouting'> & { credential: Credential }

/**
 * Priced by what is remembered of the key, so that nobody waits for a look at it. Where that refuses, the key
 * may want something else by now: the hold will tell.
 *
 * @throws ApiError
 */
export async function quoteWithRememberedRouting(
  { keyRoutings }: ExchangeContext,
  kind: Kind,
  input: UnroutedQuoteInput,
): Promise<KeyQuote> {
  const { secretHash } = input.credential
  const remembered = keyRoutings.get(secretHash) ?? null
  try {
    return await quoteWithRouting(kind, input, remembered)
  } catch (refusal) {
    if (remembered === null) throw refusal
    keyRoutings.delete(secretHash)
    return quoteWithRouting(kind, input, null)
  }
}

/** As the ledger has just told. @throws ApiError */
export function quoteWithCurrentRouting(
  { keyRoutings }: ExchangeContext,
  kind: Kind,
  input: UnroutedQuoteInput,
  keyRouting: KeyRouting | null,
): Promise<KeyQuote> {
  const { secretHash } = input.credential
  if (keyRoutings.size >= REMEMBERED_COUNT_MAX) keyRoutings.clear()
  if (keyRouting) keyRoutings.set(secretHash, keyRouting)
  else keyRoutings.delete(secretHash)
  return quoteWithRouting(kind, input, keyRouting)
}

async function quoteWithRouting(
  kind: Kind,
  input: UnroutedQuoteInput,
  keyRouting: KeyRouting | null,
): Promise<KeyQuote> {
  if (keyRouting && restricts(keyRouting) && !kind.supportsKeyRouting) {
    const message = 'This API key is for hosts that it chooses, and for this nobody can. Use another key.'
    throw new ApiError('forbidden', message)
  }
  const quote = await kind.quote({ ...input, keyRouting })
  const allowed = keyRouting?.models
  const refused = allowed && (quote.modelIds ?? [quote.modelId]).find(id => !allowed.includes(id))
  if (refused !== undefined) {
    throw new ApiError(
      'forbidden',
      `This API key may not ask ${refused}. It may ask ${allowed?.join(', ')}.`,
      {
        param: 'model',
      },
    )
  }
  return { quote, keyRouting }
}

/** The least of what a payer was told, and of what the key allows for one request; null where neither says. */
export function lowestMaxCharge(maxChargeNano: Nano | null, keyRouting: KeyRouting | null): Nano | null {
  const ofKey = keyRouting?.maxChargeUsd === undefined ? null : parseNano(keyRouting.maxChargeUsd)
  return maxChargeNano === null || ofKey === null ? (maxChargeNano ?? ofKey) : minNano(maxChargeNano, ofKey)
}

function restricts({ zdr, dataCollection, maxPrice }: KeyRouting): boolean {
  return zdr || dataCollection === 'deny' || maxPrice !== null
}
