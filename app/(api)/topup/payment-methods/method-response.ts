import { formatDecimal, multiply } from '@/lib/money/decimal'
import { nanoToUsdNumber } from '@/lib/money/nano'
import { satoshisToBitcoin, toSatoshisDown, toSatoshisUp } from '@/lib/payments/domain/convert-amount'
import type { MethodOffer } from '@/lib/payments/domain/payments'

const PERCENT = { coefficient: 100n, scale: 0 }

/** PayPerQ's fields (method to limits), then ours. Limits in bitcoin follow the rate, and wait for one. */
export function methodResponse(offer: MethodOffer) {
  return {
    method: offer.id,
    display_name: offer.displayName,
    supported_currencies: offer.currencies.filter(currency => currency === 'USD' || offer.usdPerBitcoin),
    limits: limits(offer),
    expires_in_seconds: offer.expirySeconds,
    bonus_percent: Number(formatDecimal(multiply(offer.bonusFraction, PERCENT))),
    usd_per_bitcoin: offer.usdPerBitcoin && Number(formatDecimal(offer.usdPerBitcoin)),
    sandbox: offer.gatewayId === 'sandbox',
  }
}

function limits({ minimumNano, maximumNano, currencies, usdPerBitcoin }: MethodOffer) {
  const dollars = { USD: { min: nanoToUsdNumber(minimumNano), max: nanoToUsdNumber(maximumNano) } }
  if (!usdPerBitcoin || !currencies.includes('SATS')) return dollars
  const satoshis = {
    min: toSatoshisUp(minimumNano, usdPerBitcoin),
    max: toSatoshisDown(maximumNano, usdPerBitcoin),
  }
  return {
    ...dollars,
    SATS: { min: Number(satoshis.min), max: Number(satoshis.max) },
    BTC: { min: bitcoin(satoshis.min), max: bitcoin(satoshis.max) },
  }
}

function bitcoin(satoshis: bigint): number {
  return Number(formatDecimal(satoshisToBitcoin(satoshis)))
}
