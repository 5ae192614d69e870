import 'server-only'
import { createTestCatalogue, standInSettings, type TestCustomer } from '@/lib/chat/server/testing'
import { useStandInUpstream } from '@/lib/chat/server/testing-upstream'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import type { Database } from '@/lib/db/database'
import type { Ledger } from '@/lib/ledger/domain/ledger'
import type { MeteringLimits } from '@/lib/ledger/domain/metering-limits'
import { createEmbeddedLedger } from '@/lib/ledger/server/embedded-ledger'
import { createDatabaseReplayStore } from '@/lib/ledger/server/metering/database-replay-store'
import type { MeteredReply } from '@/lib/ledger/server/metering/metered-reply'
import { createMetering } from '@/lib/ledger/server/metering/metering'
import type { ReplayStore } from '@/lib/ledger/server/metering/replay-store'
import { type Decimal, ZERO } from '@/lib/money/decimal'
import type { Script } from '@/test/stand-ins/upstream-script'
import type { ImageTimes } from '../domain/image-limits'
import { createImages, type Images } from './create-images'

/** The stand-in's painter, at four cents a picture. */
export const PICTURE = { model: 'standin/painter', prompt: 'A copper coin' }
export const IMAGES_PATH = '/images/generations'

export interface ImageSite {
  images: Images
  ledger: Ledger
}

/** Everything between a credential and an upstream that draws, for real: database, catalogue, HTTP. */
export function createImageSite(input: {
  database: Database
  upstreams: readonly UpstreamSettings[]
  ledger?: Ledger
  limits?: Partial<MeteringLimits>
  replayStore?: ReplayStore
  times?: Partial<ImageTimes>
  priceMarkup?: Decimal
}): ImageSite {
  const { database, upstreams, priceMarkup = ZERO } = input
  const ledger = input.ledger ?? createEmbeddedLedger({ database })
  const metering = createMetering({
    ledger,
    replayStore: input.replayStore ?? createDatabaseReplayStore({ database }),
    limits: { settleRetryDelaysMs: [1, 1, 1], keptLookDelaysMs: [1, 1], ...input.limits },
  })
  const catalogue = createTestCatalogue(upstreams, priceMarkup)
  return { images: createImages({ metering, catalogue, upstreams, priceMarkup, times: input.times }), ledger }
}

export interface DrawOptions {
  body?: Record<string, unknown>
  idempotencyKey?: string
  signal?: AbortSignal
}

export function draw(
  site: ImageSite,
  customer: TestCustomer,
  options: DrawOptions = {},
): Promise<MeteredReply> {
  return site.images.generate({
    credential: customer.credential,
    body: Buffer.from(JSON.stringify({ ...PICTURE, ...options.body })),
    idempotencyKey: options.idempotencyKey ?? null,
    querySource: 'api',
    signal: options.signal ?? new AbortController().signal,
  })
}

export interface ImageAnswer {
  created: number
  data: Record<string, string>[]
  usage: Record<string, unknown>
}

export async function readAnswer(reply: MeteredReply): Promise<ImageAnswer> {
  return (await new Response(reply.body).json()) as ImageAnswer
}

/** One stand-in for a group of tests, and sites that ask it. */
export function usePainter(script: Script, getDatabase: () => Database) {
  const upstream = useStandInUpstream(script)
  return {
    upstream,
    site: (input: Partial<Parameters<typeof createImageSite>[0]> = {}) =>
      createImageSite({
        database: getDatabase(),
        upstreams: [standInSettings(upstream, 'stand-in')],
        ...input,
      }),
    callCount: () => upstream.requests.filter(({ path }) => path === IMAGES_PATH).length,
  }
}
