/** In a file without schemas, because pages import it too. */
export const METHOD_IDS = ['btc-lightning', 'btc', 'card'] as const
export type MethodId = (typeof METHOD_IDS)[number]

export const CURRENCIES = ['USD', 'SATS', 'BTC'] as const
export type Currency = (typeof CURRENCIES)[number]

export const SATOSHIS_PER_BITCOIN = 10n ** 8n
export const MILLISATOSHIS_PER_BITCOIN = 10n ** 11n
