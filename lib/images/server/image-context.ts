import 'server-only'
import type { Catalogue } from '@/lib/catalogue/domain/model'
import type { UpstreamSettings } from '@/lib/config/upstream-settings'
import type { Metering } from '@/lib/ledger/server/metering/metering'
import type { Decimal } from '@/lib/money/decimal'
import type { ImageTimes } from '../domain/image-limits'

/** What the verbs of pictures work with. */
export interface ImageContext {
  readonly metering: Metering
  readonly catalogue: Catalogue
  readonly upstreams: readonly UpstreamSettings[]
  readonly priceMarkup: Decimal
  readonly times: ImageTimes
  /** Seconds of the wall clock, for answers whose upstream does not tell when it drew them. */
  readonly nowSeconds: () => number
}
