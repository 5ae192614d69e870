import 'server-only'
import { type Decimal, ZERO } from '@/lib/money/decimal'
import { type Gateway, GatewayError } from '../domain/gateway'
import type { MethodOffer } from '../domain/payments'
import type { PaymentsContext } from './payments-context'

/** Each method once, from the first gateway that has it. */
export async function listMethods({ gateways, bonuses }: PaymentsContext): Promise<MethodOffer[]> {
  const offers = await Promise.all(
    gateways.map(async gateway => {
      const usdPerBitcoin = await rateIfKnown(gateway)
      return gateway.methods.map(method => ({
        ...method,
        gatewayId: gateway.id,
        bonusFraction: bonuses[method.id] ?? ZERO,
        usdPerBitcoin,
      }))
    }),
  )
  const seen = new Set<string>()
  return offers.flat().filter(({ id }) => !seen.has(id) && seen.add(id))
}

/** The list of methods stands even while a source of rates is down. */
async function rateIfKnown(gateway: Gateway): Promise<Decimal | null> {
  try {
    return await gateway.getUsdPerBitcoin()
  } catch (error) {
    if (error instanceof GatewayError) return null
    throw error
  }
}
