import 'server-only'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import type { Decimal } from '@/lib/money/decimal'
import { type Gateway, GatewayError, type GatewayId } from '../domain/gateway'
import type { MethodId } from '../domain/payment-method'
import type { PaymentDatabase } from './payment-tables'

/** What all verbs of payments need. */
export interface PaymentsContext {
  database: PaymentDatabase
  ledger: Pick<Ledger, 'credit' | 'reverse'>
  /** In order of preference: a method is served by the first one that has it. */
  gateways: readonly Gateway[]
  /** Per method: 0.05 adds five percent to the payment. */
  bonuses: Partial<Record<MethodId, Decimal>>
}

export function findGateway(context: PaymentsContext, gatewayId: GatewayId): Gateway | null {
  return context.gateways.find(gateway => gateway.id === gatewayId) ?? null
}

/** Null while the gateway's source of rates is down. */
export async function rateIfKnown(gateway: Gateway, input?: { fresh: boolean }): Promise<Decimal | null> {
  try {
    return await gateway.getUsdPerBitcoin(input)
  } catch (error) {
    if (error instanceof GatewayError) return null
    throw error
  }
}
