import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { formatDecimal } from '@/lib/money/decimal'
import { PRICE_FIELDS, PRICE_NAMES } from './price-fields'
import { costsNothing, readPricing, usableListedPrices, usablePrices } from './usable-prices'

const good = { prompt: '0.000001', completion: '0.000002' }

describe('a model is unusable', () => {
  test('without prices, or without an input or output price', () => {
    expect(usablePrices(null)).toBeNull()
    expect(usablePrices({})).toBeNull()
    expect(usablePrices({ prompt: '0' })).toBeNull()
    expect(usablePrices({ completion: '0' })).toBeNull()
  })

  test.each([
    '-1',
    '-0',
    ' -0',
    '-0.000001',
    '1e309',
    '1e41',
    'NaN',
    'Infinity',
    '-Infinity',
    '',
    ' ',
    '.',
    'free',
    '0x10',
    '1,5',
    '1_000',
    '0.1.2',
    'not a price',
    '9223372036854775807',
    '9223372036854775808',
    '9223372036854775809',
    `1${'0'.repeat(70)}`,
    `0.${'0'.repeat(31)}1`,
  ])('when any of its prices is %j', text => {
    for (const field of Object.values(PRICE_FIELDS)) {
      expect([field, usablePrices({ ...good, [field]: text })]).toEqual([field, null])
    }
  })

  test.each([
    ['input_video', '0.01'],
    ['prompt_above_200k', '0.000006'],
    ['tiers', []],
    ['unit', 'per million tokens'],
    ['currency', 'EUR'],
    ['free', true],
    ['prompt ', '0.1'],
    ['__proto__x', '1e-9'],
    ['image', ''],
    ['discount', '1.5'],
    ['discount', '-0.1'],
    ['discount', 'half'],
    ['overrides', {}],
    ['overrides', 'none'],
    ['overrides', [null]],
    ['overrides', Array.from({ length: 65 }, () => ({ min_prompt_tokens: '1', prompt: '0' }))],
  ])('for the sake of a field %s of %j, which is named', (field, value) => {
    expect(readPricing({ ...good, [field]: value })).toEqual({ outcome: 'unusable', field })
  })

  test('above one dollar per token, but not at it', () => {
    expect(usablePrices({ ...good, completion: '1' })).not.toBeNull()
    expect(usablePrices({ ...good, completion: '1.0000001' })).toBeNull()
    expect(usablePrices({ ...good, image: '100.01' })).toBeNull()
  })
})

describe('a model is usable', () => {
  test.each([
    ['a discount, in the prices already or not', { discount: '0.25' }],
    ['a price of zero for something unheard of', { input_video: '0', hologram: '0.00', smell: null }],
    ['dollars', { currency: 'USD' }],
    ['no overrides', { overrides: null }],
  ])('with %s', (_, fields) => {
    expect(usablePrices({ ...good, ...fields })).toEqual(usablePrices(good))
  })

  test('with an unknown price field only if that price is zero', () => {
    const known = new Set([...Object.values(PRICE_FIELDS), 'overrides', 'discount', 'currency'])
    const unknown = fc.string({ minLength: 1 }).filter(field => !known.has(field) && field !== '__proto__')
    fc.assert(
      fc.property(unknown, fc.jsonValue(), (field, value) => {
        const isRefused = usablePrices({ ...good, [field]: value }) === null
        return isRefused || value === null || (typeof value === 'string' && Number(value) === 0)
      }),
    )
  })

  test.each([
    ['0', '0'],
    ['0.0', '0'],
    ['0.00000015', '0.00000015'],
    ['1.5e-7', '0.00000015'],
    ['1E-7', '0.0000001'],
    ['+1', null],
  ])('with the price %j as %j', (text, expected) => {
    const prices = usablePrices({ ...good, prompt: text })
    expect(prices && formatDecimal(prices.prompt)).toBe(expected)
  })

  test('with missing request and image prices as free, and other missing prices as unknown', () => {
    expect(usablePrices(good)).toMatchObject({
      request: { coefficient: 0n },
      image: { coefficient: 0n },
      inputCacheRead: null,
      inputCacheWrite: null,
      internalReasoning: null,
    })
  })
})

test('a usable price read from any text is finite, not negative and bounded', () => {
  const text = fc.oneof(
    fc.string(),
    fc.double().map(String),
    fc.bigInt().map(String),
    fc.tuple(fc.bigInt(), fc.integer({ min: -400, max: 400 })).map(([left, right]) => `${left}e${right}`),
  )
  fc.assert(
    fc.property(text, fc.constantFrom(...Object.values(PRICE_FIELDS)), (value, field) => {
      const prices = usablePrices({ ...good, [field]: value })
      const all = PRICE_NAMES.flatMap(name => prices?.[name] ?? [])
      return all.every(
        ({ coefficient, scale }) => coefficient >= 0n && coefficient <= 100n * 10n ** BigInt(scale),
      )
    }),
    { numRuns: 2_000 },
  )
})

describe('the picture price in an upstream’s list', () => {
  const priced = (pricing: Record<string, string>, kind: 'chat' | 'image' = 'chat') => {
    const prices = usableListedPrices(pricing, kind)
    const text = (name: 'image' | 'inputImage' | 'outputImage' | 'completion') => {
      const price = prices?.[name]
      return price ? formatDecimal(price) : null
    }
    return [text('image'), text('inputImage'), text('outputImage'), text('completion')]
  }

  test.each([
    ['by the piece', { prompt: '0.000003', image: '0.0048' }, '0.0048', null],
    ['by the piece, and cheap', { prompt: '0.00000009', image: '0.0000256' }, '0.0000256', null],
    ['by the token', { prompt: '0.00000125', image: '0.00000125' }, '0', '0.00000125'],
    ['by the token, and dear', { prompt: '0.0000005', image: '0.000002' }, '0', '0.000002'],
    ['by the token, by a model whose text is dear', { prompt: '0.00003', image: '0.00003' }, '0', '0.00003'],
    ['by the token, by its name', { prompt: '0.000001', image_token: '0.000008' }, '0', '0.000008'],
    ['by both', { prompt: '0.000001', image: '0.000001', image_token: '0.000008' }, '0.000001', '0.000008'],
  ])('is %s', (_, pricing, image, inputImage) => {
    expect(priced({ completion: '0.00001', ...pricing })).toEqual([image, inputImage, null, '0.00001'])
  })

  test('per token is the output price of a model that only draws, and a second output price elsewhere', () => {
    const pricing = { prompt: '0.0000003', completion: '0.0000025', image_output: '0.00003' }
    expect(priced(pricing, 'image')).toEqual(['0', null, null, '0.00003'])
    expect(priced(pricing)).toEqual(['0', null, '0.00003', '0.0000025'])
  })

  test('per drawn picture is never used per token, and follows conditional prices', () => {
    expect(priced({ prompt: '0', completion: '0', image: '0.00001' }, 'image')[0]).toBe('0.00001')
    const overrides = [{ min_prompt_tokens: '10', completion: '0.1', image_output: '0.00006' }]
    const prices = usableListedPrices({ prompt: '0', image_output: '0.00003', overrides }, 'image')
    expect(prices?.overrides[0]?.prices).toEqual({ completion: { coefficient: 6n, scale: 5 } })
  })
})

test('a model is free if no price, at any time, is above zero', () => {
  const of = (pricing: Record<string, unknown>) => {
    const prices = usablePrices({ prompt: '0', completion: '0', ...pricing })
    return prices && costsNothing(prices)
  }
  expect(of({})).toBe(true)
  expect(of({ audio: '0', overrides: [{ min_prompt_tokens: '5', prompt: '0' }] })).toBe(true)
  expect(of({ web_search: '0.01' })).toBe(false)
  expect(of({ overrides: [{ utc_days: ['monday'], prompt: '0.000001' }] })).toBe(false)
})
