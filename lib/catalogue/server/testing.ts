import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import type { CatalogueStore } from './create-file-catalogue-store'

export function upstreamAt(baseUrl: string, fields: Partial<UpstreamSettings> = {}): UpstreamSettings {
  return { id: 'upstream', baseUrl, apiKey: 'sk-upstream', setBy: 'UPSTREAM_BASE_URL', ...fields }
}

export function createMemoryStore(): CatalogueStore & { copies: Map<string, string> } {
  const copies = new Map<string, string>()
  return {
    copies,
    load: async key => copies.get(key) ?? null,
    save: async (key, payload) => {
      copies.set(key, payload)
    },
  }
}
