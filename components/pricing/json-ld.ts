import type { Model } from '@/lib/catalogue/domain/model'
import { type PriceUnit, priceRow, unitPrices } from './price-row'

interface JsonLdInput {
  appName: string
  /** Absolute address of the page. */
  url: string
  models: readonly Model[]
}

/** schema.org data: one service with a catalogue of offers, each with the prices that the list shows. */
export function priceJsonLd({ appName, url, models }: JsonLdInput): string {
  const data = {
    '@context': 'https://schema.org',
    '@type': 'Service',
    name: appName,
    url,
    offers: {
      '@type': 'OfferCatalog',
      numberOfItems: models.length,
      itemListElement: models.map(offer),
    },
  }
  // A model's name comes from an upstream and must not be able to end the script element.
  return JSON.stringify(data).replaceAll('<', '\\u003c')
}

const UNIT_TEXTS: Readonly<Record<PriceUnit, string>> = {
  image: 'image',
  character: '1,000,000 characters',
  minute: 'minute',
  recording: 'recording, at least',
  request: 'request',
  input: '1,000,000 input tokens',
  output: '1,000,000 output tokens',
}

function offer(model: Model) {
  return {
    '@type': 'Offer',
    itemOffered: { '@type': 'Product', name: model.name, sku: model.id },
    priceSpecification: unitPrices(priceRow(model)).map(({ unit, usd }) => ({
      '@type': 'UnitPriceSpecification',
      price: usd,
      priceCurrency: 'USD',
      unitText: UNIT_TEXTS[unit],
    })),
  }
}
