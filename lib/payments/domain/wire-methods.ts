import { z } from 'zod'
import { wireAmountFound, wireText } from '@/lib/ledger/domain/wire-values'
import { wireDecimalAboveZero, wireFraction } from './wire-decimal'
import { wireCurrency, wireGatewayId, wireMethodId } from './wire-invoice'

/** There are three methods, each offered once. */
const METHOD_COUNT_MAX = 3

const wireMethodOffer = z
  .object({
    id: wireMethodId,
    displayName: wireText,
    currencies: z.array(wireCurrency).min(1).max(wireCurrency.options.length).readonly(),
    minimumNano: wireAmountFound,
    maximumNano: wireAmountFound,
    expirySeconds: z.number().int().positive(),
    gatewayId: wireGatewayId,
    bonusFraction: wireFraction,
    usdPerBitcoin: wireDecimalAboveZero.nullable(),
  })
  .refine(({ minimumNano, maximumNano }) => minimumNano <= maximumNano, 'no amount is within these limits')

export const wireListMethods = {
  input: z.object({}),
  output: z
    .array(wireMethodOffer)
    .max(METHOD_COUNT_MAX)
    .refine(offers => new Set(offers.map(({ id }) => id)).size === offers.length, 'a method twice'),
}
