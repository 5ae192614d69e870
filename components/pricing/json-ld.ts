import type { Model } from '@/lib/catalogue/domain/model'
import { type Decimal, formatDecimal, isZero, MILLION, multiply } from '@/lib/money/decimal'

interface JsonLdInput {
  appName: string
  /** Absolute address of the page. */
  url: string
  models: readonly Model[]
}

/** schema.org data: one service with a catalogue of offers, each with its prices per million tokens. */
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

function offer({ id, name, prices }: Model) {
  const specifications = [
    perMillion('input tokens', prices.prompt),
    perMillion('output tokens', prices.completion),
    perUnit('image', prices.image),
    perUnit('request', prices.request),
  ]
  return {
    '@type': 'Offer',
    itemOffered: { '@type': 'Product', name, sku: id },
    priceSpecification: specifications.filter(specification => specification !== null),
  }
}

function perMillion(unitText: string, price: Decimal) {
  return unitPrice(`1,000,000 ${unitText}`, multiply(price, MILLION))
}

function perUnit(unitText: string, price: Decimal) {
  return unitPrice(unitText, price)
}

function unitPrice(unitText: string, price: Decimal) {
  if (isZero(price)) return null
  return {
    '@type': 'UnitPriceSpecification',
    price: formatDecimal(price),
    priceCurrency: 'USD',
    unitText,
  }
}
