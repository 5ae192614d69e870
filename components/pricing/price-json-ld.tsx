import type { Model } from '@/lib/catalogue/domain/model'
import { priceJsonLd } from './json-ld'

interface PriceJsonLdProps {
  appName: string
  url: string
  models: readonly Model[]
}

/** The price list for search engines. It is data, so the script policy does not apply. */
export function PriceJsonLd(props: PriceJsonLdProps) {
  return <script type="application/ld+json">{priceJsonLd(props)}</script>
}
