import { z } from 'zod'
import { wireAmountFound, wireText } from '@/lib/ledger/domain/wire-values'
import { METHOD_IDS } from './payment-method'
import { wireDecimalAboveZero, wireFraction } from './wire-decimal'
import { wireCurrency, wireGatewayId, wireMethodId } from './wire-invoice'

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
    .max(METHOD_IDS.length)
    .refine(offers => new Set(offers.map(({ id }) => id)).size === offers.length, 'a method twice'),
}
