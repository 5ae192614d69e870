import type { IncomingHttpHeaders } from 'node:http'
import { startJsonServer } from './json-server'

export interface ReceivedHit {
  method: string
  path: string
  parameters: Record<string, string>
  headers: IncomingHttpHeaders
  text: string
}

/** Stands in for the collect endpoint of the analytics tag, and records what it receives. */
export async function startAnalytics(): Promise<{
  /** For GA_COLLECT_URL. */
  collectUrl: string
  hits: ReceivedHit[]
  stop: () => Promise<void>
}> {
  const hits: ReceivedHit[] = []
  const { url, stop } = await startJsonServer({
    answer({ method, path, query, headers, text }) {
      hits.push({ method, path, parameters: Object.fromEntries(query), headers, text })
      return { status: 200, body: {} }
    },
  })
  return { collectUrl: `${url}/g/collect`, hits, stop }
}
