import 'server-only'
import { createHash } from 'node:crypto'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import { EXA_SEARCH_USD, isOpenRouter } from '../domain/is-open-router'
import type { UpstreamList } from '../domain/merge-models'
import { parseUpstreamModels } from '../domain/parse-upstream-models'
import type { UpstreamModel } from '../domain/upstream-model'
import { unknownPriceFields } from '../domain/usable-prices'
import type { CatalogueStore } from './create-file-catalogue-store'
import { type FetchedModels, fetchUpstreamModels } from './fetch-upstream-models'

/** Limits of a message, because the names come from outside. */
const FIELD_COUNT_MAX = 10
const FIELD_LENGTH_MAX = 40

export interface LoadedList {
  list: UpstreamList
  /** False if the upstream could not be asked, and an earlier copy, or nothing, is used instead. */
  fresh: boolean
}

/**
 * One upstream's list: fetched, otherwise the last good one of this process, otherwise the stored copy. The copy's key
 * includes the address, so that one host's prices are never used for another.
 */
export async function loadUpstreamList(input: {
  upstream: UpstreamSettings
  free: boolean
  timeoutMs: number
  store: CatalogueStore | null
  last: UpstreamList | null
  report: (message: string) => void
}): Promise<LoadedList> {
  const { upstream, free, store, last } = input
  const listOf = (models: UpstreamList['models']): UpstreamList => ({
    upstreamId: upstream.id,
    models,
    free,
    ...(isOpenRouter(upstream.baseUrl) && { searchUsdMin: EXA_SEARCH_USD }),
  })
  const fetched: FetchedModels = await fetchUpstreamModels(upstream, input.timeoutMs)
  if (fetched.outcome === 'listed') {
    await store?.save(storeKey(upstream), fetched.payload)
    const message = unknownFieldsMessage(upstream, fetched.models)
    if (message && !free && message !== unknownFieldsMessage(upstream, last?.models ?? []))
      input.report(message)
    return { list: listOf(fetched.models), fresh: true }
  }
  if (fetched.outcome === 'no_list') {
    if (last?.models !== null)
      input.report(
        `catalogue: ${upstream.id} publishes no list of models; only its models in MODEL_PRICES_FILE or MODEL_PRICES_TEXT are offered.`,
      )
    return { list: listOf(null), fresh: true }
  }
  input.report(
    `catalogue: the models of ${upstream.id} could not be fetched (${fetched.reason}); keeping the last list.`,
  )
  if (last) return { list: last, fresh: false }
  const copy = await store?.load(storeKey(upstream))
  return { list: listOf((copy ? parseUpstreamModels(copy) : null) ?? []), fresh: false }
}

/** Reported once: an operator whose models are missing has to learn why. */
function unknownFieldsMessage(upstream: UpstreamSettings, models: readonly UpstreamModel[]): string | null {
  const fields = unknownPriceFields(models).map(field => field.slice(0, FIELD_LENGTH_MAX))
  return fields.length === 0
    ? null
    : `catalogue: some models of ${upstream.id} are not offered, because their prices have unknown fields: ${JSON.stringify(fields.slice(0, FIELD_COUNT_MAX))}`
}

function storeKey(upstream: UpstreamSettings): string {
  const address = createHash('sha256').update(upstream.baseUrl).digest('hex').slice(0, 16)
  return `${upstream.id}-${address}`
}
