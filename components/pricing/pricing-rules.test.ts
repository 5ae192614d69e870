import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Model } from '@/lib/catalogue/domain/model'
import { decimal, someModel, prices as somePrices } from '@/lib/catalogue/domain/testing'
import { FREE_PRICES as FREE } from '@/lib/catalogue/domain/usable-prices'
import { calculateCost } from './calculate-cost'
import { priceJsonLd } from './json-ld'
import { priceRow, unitPrices } from './price-row'
import { readPricingQuery } from './pricing-query'
import { selectRows } from './select-rows'

const model = (overrides: Partial<Model>) => someModel({ id: 'maker/model', prices: FREE, ...overrides })

describe('the query of the price list', () => {
  test.each([
    {},
    { sort: 'worst', messages: '-1', read: '1.5', written: 'many' },
    { q: ['a', 'b'], messages: '1000001', read: 'Infinity', written: '1e999' },
  ])('falls back to the defaults for %j', searchParams => {
    expect(readPricingQuery(searchParams)).toEqual({
      isComplete: false,
      search: '',
      sort: 'recommended',
      modelId: null,
      messageCount: 100,
      wordsReadCount: 225,
      wordsWrittenCount: 300,
    })
  })

  test('reads what the forms send', () => {
    const sent = { q: ' llama ', sort: 'input', model: 'a/b', messages: '0', read: '10', written: '1000000' }
    expect(readPricingQuery(sent)).toEqual({
      isComplete: false,
      search: 'llama',
      sort: 'input',
      modelId: 'a/b',
      messageCount: 0,
      wordsReadCount: 10,
      wordsWrittenCount: 1_000_000,
    })
  })
})

describe('the rows of the price list', () => {
  const rows = [
    model({ id: 'z/dear', name: 'Dear Model', prices: { ...FREE, prompt: decimal('0.00001') } }),
    model({ id: 'a/free', name: 'A Free One' }),
    model({ id: 'm/cheap', name: 'Cheap Model', prices: { ...FREE, prompt: decimal('0.0000001') } }),
  ].map(priceRow)
  const ids = (search: string, sort: Parameters<typeof selectRows>[1]['sort']) =>
    selectRows(rows, { search, sort }).map(({ id }) => id)

  test('are empty without a match', () => {
    expect(ids('model nowhere', 'name')).toEqual([])
  })

  test('match every word, in any case, in name or id', () => {
    expect(ids('MODEL z/', 'recommended')).toEqual(['z/dear'])
  })

  test('keep the operator’s order unless another one is chosen', () => {
    expect(ids('', 'recommended')).toEqual(['z/dear', 'a/free', 'm/cheap'])
    expect(ids('', 'name')).toEqual(['a/free', 'm/cheap', 'z/dear'])
    expect(ids('', 'input')).toEqual(['a/free', 'm/cheap', 'z/dear'])
    expect(ids('', 'message')).toEqual(['a/free', 'm/cheap', 'z/dear'])
  })

  test('show exact prices per million tokens, and null for a missing price', () => {
    const row = priceRow(
      model({ prices: { ...FREE, prompt: decimal('0.00000015825'), image: decimal('0.02') } }),
    )
    expect(row.inputPerMillionUsd).toBe('0.15825')
    expect(row.outputPerMillionUsd).toBeNull()
    expect(unitPrices(row)).toEqual([
      { unit: 'image', usd: '0.02' },
      { unit: 'input', usd: '0.15825' },
    ])
  })
})

describe('the calculator', () => {
  const input = { messageCount: 3, wordsReadCount: 750, wordsWrittenCount: 300 }

  test('shows no cost and no number of messages for a free model', () => {
    expect(calculateCost({ model: model({ prices: FREE }), ...input })).toEqual({
      totalNano: 0n,
      messageNano: 0n,
      messagesPerDollar: null,
    })
  })

  test('counts four tokens per three words', () => {
    const prices = { ...FREE, prompt: decimal('0.000001'), completion: decimal('0.00001') }
    expect(calculateCost({ model: model({ prices }), ...input })).toEqual({
      messageNano: 5_000_000n,
      totalNano: 15_000_000n,
      messagesPerDollar: 200,
    })
  })

  test('includes reasoning tokens for a reasoning model, like the price list', () => {
    const thinking = model({
      prices: { ...FREE, completion: decimal('0.00001') },
      reasoning: { efforts: ['low'], mandatory: false },
    })
    const everyday = { messageCount: 1, wordsReadCount: 225, wordsWrittenCount: 300 }
    expect(calculateCost({ model: thinking, ...everyday }).messageNano).toBe(19_000_000n)
    expect(priceRow(thinking).averageMessageNano).toBe(19_000_000n)
  })

  test('never promises more messages per dollar than a dollar pays for', () => {
    fc.assert(
      fc.property(somePrices, fc.nat(10_000), fc.nat(10_000), (prices, wordsReadCount, wordsWrittenCount) => {
        const result = calculateCost({
          model: model({ prices }),
          messageCount: 1,
          wordsReadCount,
          wordsWrittenCount,
        })
        return (
          result.messagesPerDollar === null ||
          result.messageNano * BigInt(result.messagesPerDollar) <= 1_000_000_000n
        )
      }),
    )
  })
})

test('a transcription model is listed with the price of sound', () => {
  const prices = { ...FREE, prompt: decimal('0.000001'), inputAudio: decimal('0.000006') }
  expect(priceRow(model({ kind: 'transcription', prices })).inputPerMillionUsd).toBe('6')
  expect(priceRow(model({ kind: 'chat', prices })).inputPerMillionUsd).toBe('1')
})

describe('the price list for search engines', () => {
  test('cannot be broken by the name of a model', () => {
    const hostile = model({ name: '</script><script>alert(1)</script>' })
    const text = priceJsonLd({ appName: 'Shop', url: 'https://shop.example/pricing', models: [hostile] })
    expect(text).not.toContain('<')
    expect(JSON.parse(text).offers.itemListElement[0].itemOffered.name).toBe(hostile.name)
  })

  test.each([
    ['1,000,000 input tokens', { prompt: decimal('0.000001') }, '1'],
    ['1,000,000 characters', { inputCharacter: decimal('0.000015') }, '15'],
    ['minute', { inputSecond: decimal('0.0001') }, '0.006'],
    ['recording, at least', { recordingMin: decimal('0.001') }, '0.001'],
  ])('has an offer for a model that is priced by %s, without other prices', (unitText, prices, price) => {
    const priced = model({ prices: { ...FREE, ...prices } })
    const text = priceJsonLd({ appName: 'Shop', url: 'https://shop.example/pricing', models: [priced] })
    expect(JSON.parse(text).offers.itemListElement[0].priceSpecification).toEqual([
      { '@type': 'UnitPriceSpecification', price, priceCurrency: 'USD', unitText },
    ])
  })
})
