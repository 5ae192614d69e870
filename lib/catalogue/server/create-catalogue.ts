import 'server-only'
import type { JsonSetting } from '@/lib/config/read-group'
import { SettingsError } from '@/lib/config/settings-error'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import type { Decimal } from '@/lib/money/decimal'
import { log } from '@/lib/observability/log'
import { mergeModels, type UpstreamList } from '../domain/merge-models'
import type { Catalogue, Model } from '../domain/model'
import { type OperatorModel, parseModelPrices } from '../domain/parse-model-prices'
import type { CatalogueStore } from './create-file-catalogue-store'
import { fetchUpstreamModels } from './fetch-upstream-models'
import { FRESH_MS, keepList, RETRY_MS } from './keep-list'
import { loadUpstreamList } from './load-upstream-list'

/** If there is nothing to show at all, visitors wait for another attempt, at this interval. */
const EMPTY_RETRY_MS = 2_000
/** Enough for a list of hundreds of models over a slow line. */
const LIST_TIMEOUT_MS = 10_000
/** A program on the same machine answers at once, and a page must not wait for one that is not running. */
const PROBE_TIMEOUT_MS = 300
/** What has been missing for longer may have a wrong key or address, and nobody should wait for that. */
const AWAITED_MS_MAX = 10 * 60_000

export interface CatalogueInput {
  /** In the operator's order: the first that has a model determines its price. */
  upstreams: readonly UpstreamSettings[]
  /** Programs on this machine whose models are free, probed with every refresh. */
  localUpstreams?: readonly UpstreamSettings[]
  /** Lists of upstreams that do not publish one in OpenAI's format, but whose models are known. */
  fixedLists?: readonly UpstreamList[]
  /** The operator's own prices. */
  modelPrices: JsonSetting | null
  priceMarkup: Decimal
  /** Null where no disk outlives the process. */
  store: CatalogueStore | null
  /** See `keepList`. */
  keepAlive?: (work: Promise<unknown>) => void
  /** See `keepList`. */
  now?: () => number
  listTimeoutMs?: number
  report?: (message: string) => void
}

/** An upstream that answered within this time counts as reachable. */
const ANSWERED_LATELY_MS = 10 * 60_000

/** The catalogue of the whole site, which also knows whether any upstream is reachable. */
export interface SiteCatalogue extends Catalogue {
  /** Whether an upstream answers, or did a few minutes ago. */
  isAnswering(): Promise<boolean>
}

interface Snapshot {
  models: readonly Model[]
  byId: ReadonlyMap<string, Model>
  lists: readonly UpstreamList[]
  secondsToMissingList: number | null
}

/**
 * The models and prices of all upstreams, kept by `keepList`; an upstream that is down keeps its last list.
 *
 * @throws SettingsError if the operator's own prices are malformed
 */
export function createCatalogue(input: CatalogueInput): SiteCatalogue {
  const operatorModels = readModelPrices(input.modelPrices)
  const report = input.report ?? (message => log.warn(message))
  const now = input.now ?? (() => performance.now())
  const timeoutMs = input.listTimeoutMs ?? LIST_TIMEOUT_MS
  let answeredAt = Number.NEGATIVE_INFINITY
  let missingSince: number | null = null
  let toldMissing = ''

  async function load(before: Snapshot | null): Promise<{ list: Snapshot; freshMs: number }> {
    const local = await discoverLocalUpstreams(input.localUpstreams ?? [])
    const sources = [
      ...input.upstreams.map(upstream => ({ upstream, free: false })),
      ...local.map(upstream => ({ upstream, free: true })),
    ]
    const loaded = await Promise.all(
      sources.map(({ upstream, free }) => {
        const last = before?.lists.find(list => list.upstreamId === upstream.id) ?? null
        return loadUpstreamList({ upstream, free, timeoutMs, store: input.store, last, report })
      }),
    )
    const lists = [...loaded.map(({ list }) => list), ...(input.fixedLists ?? [])]
    const models = mergeModels({ lists, operatorModels, priceMarkup: input.priceMarkup })
    const allFresh = loaded.every(({ fresh }) => fresh)
    // A host with a fixed list has none that could be fetched.
    if (loaded.length === 0 ? models.length > 0 : loaded.some(({ fresh }) => fresh)) answeredAt = now()
    const freshMs = allFresh ? FRESH_MS : models.length > 0 ? RETRY_MS : EMPTY_RETRY_MS
    const byId = new Map(models.map(model => [model.id, model]))
    if (allFresh) reportMissing(byId)
    const isMissing = loaded.some(({ list, fresh }) => !fresh && list.models?.length === 0)
    missingSince = isMissing ? (missingSince ?? now()) : null
    const isAwaited = missingSince !== null && (models.length === 0 || now() - missingSince < AWAITED_MS_MAX)
    const secondsToMissingList = isAwaited ? freshMs / 1_000 : null
    return { list: { models, byId, lists, secondsToMissingList }, freshMs }
  }

  /** Once: an operator would otherwise look for a model that is nowhere, for no reason that anything tells. */
  function reportMissing(offered: ReadonlyMap<string, Model>): void {
    const missing = JSON.stringify([...operatorModels.keys()].filter(id => !offered.has(id)))
    if (missing !== toldMissing && missing !== '[]') {
      report(
        `catalogue: not offered, though the operator has priced them: ${missing}. No upstream lists such an id, or these prices do not suit its kind.`,
      )
    }
    toldMissing = missing
  }

  const { current, refreshed } = keepList({
    load,
    isEmpty: ({ models }) => models.length === 0,
    keepAlive: input.keepAlive,
    now,
    onFailure: () => report('catalogue: a refresh failed; serving the last list.'),
  })

  return {
    listModels: async () => (await current()).models,
    async findModel(name) {
      const { byId } = await current()
      return byId.get(name) ?? byId.get(`openai/${name}`) ?? null
    },
    secondsToMissingList: async () => (await current()).secondsToMissingList,
    async isAnswering() {
      const isLate = () => now() - answeredAt > ANSWERED_LATELY_MS
      await current()
      if (isLate()) await refreshed()
      return !isLate()
    },
  }
}

/** The candidates that currently answer with a list of models. */
async function discoverLocalUpstreams(candidates: readonly UpstreamSettings[]): Promise<UpstreamSettings[]> {
  const probes = await Promise.all(
    candidates.map(async upstream => ({
      upstream,
      fetched: await fetchUpstreamModels(upstream, PROBE_TIMEOUT_MS),
    })),
  )
  return probes.flatMap(({ upstream, fetched }) => (fetched.outcome === 'listed' ? [upstream] : []))
}

/** @throws SettingsError naming the setting if it contains an unusable price */
function readModelPrices(given: JsonSetting | null): ReadonlyMap<string, OperatorModel> {
  if (!given) return new Map()
  const result = parseModelPrices(given.text)
  if (result.outcome === 'parsed') return result.models
  throw new SettingsError(
    `${given.setBy} is not valid at ${result.problem}. Expected {"model-id": {"prompt": "0.000001", "completion": "0.000002"}}.`,
  )
}
