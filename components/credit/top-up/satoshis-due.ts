const SATOSHIS_PER_BITCOIN = 100_000_000

/** Whole satoshis of an amount in bitcoin; the API's number has at most eight decimals. */
export function satoshisDue(bitcoinDue: number | null): number | null {
  return bitcoinDue === null ? null : Math.round(bitcoinDue * SATOSHIS_PER_BITCOIN)
}
