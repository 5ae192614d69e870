import 'server-only'
import { ApiError } from '@/lib/http/api-error'
import { unlessAborted } from '@/lib/http/unless-aborted'
import type { Credential } from '@/lib/ledger/domain/accounts'
import type { KeyRouting } from '@/lib/ledger/domain/keys'
import { minNano, type Nano, parseNano } from '@/lib/money/nano'
import type { ExchangeContext } from './exchange-context'
import { requireCredit } from './holds'
import type { Kind, Quote, QuoteInput } from './kind'

/** Few API keys restrict their routing. */
const REMEMBERED_COUNT_MAX = 10_000

/** A priced request, and the API key's routing that it was priced with. */
export interface KeyQuote {
  quote: Quote
  keyRouting: KeyRouting | null
}

export type UnroutedQuoteInput = Omit<QuoteInput, 'keyRouting' | 'requireCredit'> & { credential: Credential }

/**
 * Prices a request with the routing that this process remembers of the API key, so that it need not be looked up
 * first. If the remembered routing refuses the request, it may be outdated: then the request is priced without any,
 * and the ledger checks the routing when it places the hold.
 *
 * @throws ApiError
 */
export async function quoteWithRememberedRouting(
  context: ExchangeContext,
  kind: Kind,
  input: UnroutedQuoteInput,
): Promise<KeyQuote> {
  const { keyRoutings } = context
  const { secretHash } = input.credential
  const remembered = keyRoutings.get(secretHash) ?? null
  try {
    return await quoteWithRouting(context, kind, input, remembered)
  } catch (refusal) {
    if (remembered === null) throw refusal
    keyRoutings.delete(secretHash)
    return quoteWithRouting(context, kind, input, null)
  }
}

/** Prices a request with the routing that the ledger has just returned, and remembers it. @throws ApiError */
export function quoteWithCurrentRouting(
  context: ExchangeContext,
  kind: Kind,
  input: UnroutedQuoteInput,
  keyRouting: KeyRouting | null,
): Promise<KeyQuote> {
  const { keyRoutings } = context
  const { secretHash } = input.credential
  if (keyRoutings.size >= REMEMBERED_COUNT_MAX) keyRoutings.clear()
  if (keyRouting) keyRoutings.set(secretHash, keyRouting)
  else keyRoutings.delete(secretHash)
  return quoteWithRouting(context, kind, input, keyRouting)
}

async function quoteWithRouting(
  { closing, ledger }: ExchangeContext,
  kind: Kind,
  input: UnroutedQuoteInput,
  keyRouting: KeyRouting | null,
): Promise<KeyQuote> {
  if (keyRouting && restricts(keyRouting) && !kind.supportsKeyRouting) {
    const message =
      'This API key restricts which hosts may answer, and this kind of request does not support that. Use another key.'
    throw new ApiError('forbidden', message)
  }
  const { credential } = input
  const quoting = kind.quote({
    ...input,
    keyRouting,
    requireCredit: requiredNano => requireCredit(ledger, { credential, requiredNano }),
  })
  // A quote waits as long as a host takes to list its prices; once the process closes, nobody waits for it.
  const quote = await unlessAborted(quoting, closing)
  const allowed = keyRouting?.models
  const refused = allowed && (quote.modelIds ?? [quote.modelId]).find(id => !allowed.includes(id))
  if (refused !== undefined) {
    throw new ApiError(
      'forbidden',
      `This API key may not use the model ${refused}. It may use ${allowed?.join(', ')}.`,
      {
        param: 'model',
      },
    )
  }
  return { quote, keyRouting }
}

/** The lower of the request's own limit and its API key's limit per request; null if there is neither. */
export function lowestMaxCharge(maxChargeNano: Nano | null, keyRouting: KeyRouting | null): Nano | null {
  const ofKey = keyRouting?.maxChargeUsd === undefined ? null : parseNano(keyRouting.maxChargeUsd)
  return maxChargeNano === null || ofKey === null ? (maxChargeNano ?? ofKey) : minNano(maxChargeNano, ofKey)
}

function restricts({ zdr, dataCollection, maxPrice }: KeyRouting): boolean {
  return zdr || dataCollection === 'deny' || maxPrice !== null
}
