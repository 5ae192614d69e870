import type { Decimal } from '@/lib/money/decimal'

/** OpenRouter extends the common protocol: kinds of models in its list, an address for pictures. */
export function isOpenRouter(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl)
  return hostname === 'openrouter.ai' || hostname.endsWith('.openrouter.ai')
}

/**
 * A search there by Exa, the engine that we name in every search request, with up to ten results; each further result
 * costs a tenth of a cent. https://openrouter.ai/docs/guides/features/server-tools/web-search#pricing
 */
export const EXA_SEARCH_USD: Decimal = { coefficient: 7n, scale: 3 }
