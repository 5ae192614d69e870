import type { Model } from '@/lib/catalogue/domain/model'
import { priceJsonLd } from './json-ld'

interface PriceJsonLdProps {
  appName: string
  url: string
  models: readonly Model[]
}

/** The price list for search engines; data, so the page's script policy does not concern it. */
export function PriceJsonLd(props: PriceJsonLdProps) {
  return <script type="application/ld+json">{priceJsonLd(props)}</script>
}
