import 'server-only'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { isOpenRouter } from '../domain/is-open-router'
import { parseUpstreamModels } from '../domain/parse-upstream-models'
import type { UpstreamModel } from '../domain/upstream-model'
import { fetchBoundedText } from './fetch-bounded-text'

/** The longest known list is under two megabytes. */
const LIST_BYTES_MAX = 16 * 1024 * 1024
/** The answers of hosts without such a route: they publish no list, which is not a failure. */
const NO_LIST_STATUSES = new Set([404, 405, 501])

export type FetchedModels =
  | { outcome: 'listed'; models: UpstreamModel[]; payload: string }
  | { outcome: 'no_list' }
  | { outcome: 'failed'; reason: string }

/** Asks one upstream for its models. A failure is an expected result: the last good copy stays in use. */
export async function fetchUpstreamModels(
  upstream: UpstreamSettings,
  timeoutMs: number,
): Promise<FetchedModels> {
  try {
    const { status, text } = await fetchBoundedText({
      url: modelsAddress(upstream.baseUrl),
      apiKey: upstream.apiKey,
      timeoutMs,
      bytesMax: LIST_BYTES_MAX,
    })
    if (NO_LIST_STATUSES.has(status)) return { outcome: 'no_list' }
    const models = status === 200 ? parseUpstreamModels(text) : null
    if (models) return { outcome: 'listed', models, payload: text }
    return { outcome: 'failed', reason: status === 200 ? 'not a list of models' : `status ${status}` }
  } catch (error) {
    return { outcome: 'failed', reason: reasonOf(error) }
  }
}

/** OpenRouter lists only models with text output unless others are requested. */
export function modelsAddress(baseUrl: string): string {
  return `${baseUrl}/models${isOpenRouter(baseUrl) ? '?output_modalities=text,image,embeddings' : ''}`
}

/** The cause's message or the error's name; fetch's own messages can contain a URL with a password. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown reason'
  return error.cause instanceof Error ? error.cause.message : error.name
}
