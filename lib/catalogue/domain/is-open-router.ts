import type { Decimal } from '@/lib/money/decimal'

/** OpenRouter speaks more than the common protocol: kinds of models in its list, an address for pictures. */
export function isOpenRouter(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl)
  return hostname === 'openrouter.ai' || hostname.endsWith('.openrouter.ai')
}

/**
 * A search there by Exa, the engine that is named for every search that is asked for, with up to ten results;
 * each further one is a tenth of a cent.
 * https://openrouter.ai/docs/guides/features/server-tools/web-search#pricing
 */
export const EXA_SEARCH_USD: Decimal = { coefficient: 7n, scale: 3 }
