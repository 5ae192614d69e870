import { type Decimal, formatDecimal, multiply } from '@/lib/money/decimal'
import { divideUp, floorToNano, type Nano } from '@/lib/money/nano'
import { type Currency, SATOSHIS_PER_BITCOIN } from './payment-method'

/** Decimal places of each currency: cents, whole satoshis, satoshis. */
export const CURRENCY_SCALE: Readonly<Record<Currency, number>> = { USD: 2, SATS: 0, BTC: 8 }
const BITCOIN_PER_SATOSHI: Decimal = { coefficient: 1n, scale: 8 }

/** Whether the amount is positive and has no more decimal places than its currency. */
export function isPayable(amount: Decimal, currency: Currency): boolean {
  return amount.coefficient > 0n && amount.scale <= CURRENCY_SCALE[currency]
}

/** Converts an amount in SATS or BTC to bitcoin. */
export function toBitcoin(amount: Decimal, currency: 'SATS' | 'BTC'): Decimal {
  return currency === 'SATS' ? multiply(amount, BITCOIN_PER_SATOSHI) : amount
}

/** The value of an amount, rounded down; null if that needs a rate and none is known. */
export function toNano(amount: Decimal, currency: Currency, usdPerBitcoin: Decimal | null): Nano | null {
  if (currency === 'USD') return floorToNano(amount)
  return usdPerBitcoin && floorToNano(multiply(toBitcoin(amount, currency), usdPerBitcoin))
}

/** The smallest whole number of satoshis worth at least `nano`. */
export function toSatoshisUp(nano: Nano, usdPerBitcoin: Decimal): bigint {
  return divideUp(nano * 10n ** BigInt(usdPerBitcoin.scale), usdPerBitcoin.coefficient * 10n)
}

/** The largest whole number of satoshis worth at most `nano`. */
export function toSatoshisDown(nano: Nano, usdPerBitcoin: Decimal): bigint {
  return (nano * 10n ** BigInt(usdPerBitcoin.scale)) / (usdPerBitcoin.coefficient * 10n)
}

/** @throws for an amount that is not whole satoshis */
export function bitcoinToSatoshis(bitcoin: Decimal): bigint {
  return BigInt(formatDecimal({ ...bitcoin, coefficient: bitcoin.coefficient * SATOSHIS_PER_BITCOIN }))
}

export function satoshisToBitcoin(satoshis: bigint): Decimal {
  return multiply({ coefficient: satoshis, scale: 0 }, BITCOIN_PER_SATOSHI)
}

export function millisatoshisToBitcoin(millisatoshis: number): Decimal {
  return { coefficient: BigInt(millisatoshis), scale: 11 }
}

/** The share of `nano` that `part` is of `whole`, rounded down. */
export function partOf(nano: Nano, part: Decimal, whole: Decimal): Nano {
  const scale = Math.max(part.scale, whole.scale)
  const units = (value: Decimal) => value.coefficient * 10n ** BigInt(scale - value.scale)
  return (nano * units(part)) / units(whole)
}
