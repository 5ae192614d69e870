import { LIMITED_PRICES, type Model } from '@/lib/catalogue/domain/model'
import { dearestPrices } from '@/lib/catalogue/domain/price-overrides'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import type { KeyRouting } from '@/lib/ledger/domain/keys'
import { compare, formatDecimal, parseDecimal } from '@/lib/money/decimal'
import { UpstreamFailure } from '@/lib/upstream/ask-upstreams'
import { upstreamDialect } from '@/lib/upstream/upstream-dialect'
import { notHere } from '../contract'
import { type ChatRequest, searchOf } from './contract'
import { asksForeignParser } from './file-parser'
import { listedPrice, priceLimitOf } from './price-limits'

/** The request with the routing of its API key: of the two, the stricter one counts. */
export function withKeyRouting(request: ChatRequest, routing: KeyRouting | null): ChatRequest {
  if (!routing) return request
  const { zdr, dataCollection, maxPrice } = routing
  const provider = {
    ...request.provider,
    ...(zdr && { zdr }),
    ...(dataCollection === 'deny' && { data_collection: dataCollection }),
    ...(maxPrice && { max_price: lowestPrices(request, maxPrice) }),
  }
  return Object.keys(provider).length > 0 ? { ...request, provider } : request
}

/** The request at the slower and cheaper tier that its API key wants, if all models are listed with a price for it. */
export function withKeyTier(
  request: ChatRequest,
  routing: KeyRouting | null,
  models: readonly Model[],
): ChatRequest {
  const tier = routing?.serviceTier
  const isListed = models.every(({ prices }) =>
    prices.overrides.some(({ serviceTier }) => serviceTier === tier),
  )
  return tier && isListed ? { ...request, service_tier: tier } : request
}

function lowestPrices(request: ChatRequest, wanted: Readonly<Record<string, string>>) {
  const limits = LIMITED_PRICES.map(name => {
    const [own, keys] = [priceLimitOf(request, name), parseDecimal(wanted[name] ?? '')]
    const lowest = own && keys ? (compare(own, keys) < 0 ? own : keys) : (own ?? keys)
    return [name, lowest && formatDecimal(lowest)]
  })
  return Object.fromEntries(limits)
}

/**
 * If the request asks for hosts that keep nothing of it, or do not train on it: those that promise so. A host is
 * never asked on the mere hope that it does.
 *
 * @throws ApiError invalid_request
 */
export function hostsWithPrivacy(
  request: ChatRequest,
  upstreams: readonly UpstreamSettings[],
): readonly UpstreamSettings[] {
  const field = privacyFieldOf(request)
  if (field === null) return upstreams
  if (searchOf(request)) throw notHere('tools', 'a web search is sent to other services, which may store it')
  const promising = upstreams.filter(({ baseUrl }) => upstreamDialect(baseUrl).promisesPrivacy)
  if (promising.length > 0) return promising
  throw notHere(`provider.${field}`, 'no host of this model promises that. Choose another model')
}

/** For a model that cannot read files, another service would read them. @throws ApiError invalid_request */
export function requirePrivateFileReading(request: ChatRequest, models: readonly Model[]): void {
  const readsFiles = models.every(({ inputModalities }) => inputModalities.includes('file'))
  if (privacyFieldOf(request) === null || !asksForeignParser(request, readsFiles)) return
  throw notHere('messages', 'the file would be read by another service, which may store it')
}

/**
 * The hosts whose price is within `max_price`. A router is sent the limit; of any other host, the listed price must
 * be within it.
 *
 * @throws ApiError invalid_request
 */
export function affordableHosts(
  request: ChatRequest,
  upstreams: readonly UpstreamSettings[],
  { models, promptTokenCountMax }: { models: readonly Model[]; promptTokenCountMax: number },
): readonly UpstreamSettings[] {
  const circumstances = { inputTokenCountMin: 0, inputTokenCountMax: promptTokenCountMax }
  const dearest = models.map(({ prices }) => dearestPrices(prices, circumstances))
  const dearer = LIMITED_PRICES.find(name => {
    const limit = priceLimitOf(request, name)
    return limit && dearest.some(prices => compare(listedPrice(prices, name), limit) > 0)
  })
  if (dearer === undefined) return upstreams
  const affordable = upstreams.filter(({ baseUrl }) => upstreamDialect(baseUrl).routes)
  if (affordable.length > 0) return affordable
  throw notHere(`provider.max_price.${dearer}`, 'the model costs more than that here')
}

/** Translates the 404 of a router that finds no host for the model as `provider` wants it. */
export function noSuchHost({ provider }: ChatRequest, failure: UpstreamFailure): UpstreamFailure {
  if (!provider || failure.kind !== 'refused' || failure.detail.status !== 404) return failure
  const message = 'No host of this model meets the requirements in provider.'
  return new UpstreamFailure('client_fault', message, { status: 404, param: 'provider', cause: failure })
}

function privacyFieldOf({ provider }: ChatRequest): 'zdr' | 'data_collection' | null {
  if (provider?.zdr === true) return 'zdr'
  return provider?.data_collection === 'deny' ? 'data_collection' : null
}
