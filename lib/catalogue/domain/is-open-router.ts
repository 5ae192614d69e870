/** OpenRouter speaks more than the common protocol: kinds of models in its list, an address for pictures. */
export function isOpenRouter(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl)
  return hostname === 'openrouter.ai' || hostname.endsWith('.openrouter.ai')
}
