import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { prices as anyPrices, decimal, price, someModel, somePrices } from '@/lib/catalogue/domain/testing'
import { ZERO } from '@/lib/money/decimal'
import { minNano } from '@/lib/money/nano'
import { decideImageCharge, type ImageChargeFacts } from './decide-image-charge'
import { IMAGE_COUNT_MAX } from './image-limits'
import { heldImageCount, planImages } from './image-plan'

const BY_PICTURE = somePrices({ image: '0.04' })
const BY_TOKEN = somePrices({ prompt: '0.000005', completion: '0.00004' })

function facts(fields: Partial<ImageChargeFacts> = {}): ImageChargeFacts {
  const prices = fields.prices ?? BY_PICTURE
  const plan = planImages(
    { model: 'vendor/model', prompt: 'A coin', n: 4 },
    someModel({ kind: 'image', prices }),
  )
  return {
    plan,
    drawnCount: 4,
    report: undefined,
    inputTokenCountEstimate: 2,
    prices,
    priceMarkup: ZERO,
    ...fields,
  }
}

describe('what pictures cost', () => {
  test('is nothing when none came, whatever the upstream says', () => {
    const charge = decideImageCharge(facts({ drawnCount: 0, report: { cost: 0.04 } }))
    expect(charge).toMatchObject({ costNano: 0n, costBasis: 'none' })
  })

  test('is the price of each that came, not of each that was asked for', () => {
    expect(decideImageCharge(facts({ drawnCount: 3 }))).toMatchObject({
      costNano: 120_000_000n,
      costBasis: 'local_count',
      estimated: false,
    })
  })

  test('is the upstream’s own figure, with the markup on it', () => {
    const charge = decideImageCharge(facts({ report: { cost: 0.1 }, priceMarkup: decimal('0.05') }))
    expect(charge).toMatchObject({ costNano: 105_000_000n, costBasis: 'upstream_cost' })
  })

  test.each([0, -1, 'x', null, '1e39', Number.NaN])('does not follow a told cost of %p', cost => {
    expect(decideImageCharge(facts({ report: { cost } })).costBasis).toBe('local_count')
  })

  test('stays free where the model is, whatever the upstream asks for it', () => {
    const charge = decideImageCharge(facts({ prices: somePrices(), report: { cost: 5 } }))
    expect(charge.costNano).toBe(0n)
  })

  test.each([
    { input_tokens: 10, output_tokens: 4_160 },
    { prompt_tokens: 10, completion_tokens: 4_160 },
  ])('goes by the tokens of %j where the model is priced by them', report => {
    expect(decideImageCharge(facts({ prices: BY_TOKEN, drawnCount: 1, report }))).toMatchObject({
      costNano: 166_450_000n,
      costBasis: 'upstream_tokens',
      estimated: false,
    })
  })

  test.each([null, {}, { input_tokens: 1 }, { input_tokens: -1, output_tokens: 1e12 }, 'many'])(
    'is an estimate, and says so, where tokens are priced and told as %j',
    report => {
      expect(decideImageCharge(facts({ prices: BY_TOKEN, drawnCount: 1, report }))).toMatchObject({
        costNano: 168_010_000n,
        costBasis: 'local_count',
        estimated: true,
      })
    },
  )
})

const asked = fc.integer({ min: 1, max: IMAGE_COUNT_MAX })
const reported = fc.oneof(
  fc.constant(undefined),
  fc.record(
    {
      cost: fc.oneof(fc.double({ min: 0, max: 1_000, noNaN: true }), fc.string()),
      input_tokens: fc.integer({ min: -5, max: 1_000_000 }),
      output_tokens: fc.integer({ min: -5, max: 1_000_000 }),
    },
    { requiredKeys: [] },
  ),
)

test('no report, price or markup makes a charge exceed the bound that was held for', () => {
  fc.assert(
    fc.property(
      fc.record({ prices: anyPrices, count: asked, prompt: fc.string({ minLength: 1 }), report: reported }),
      fc.nat({ max: IMAGE_COUNT_MAX }),
      price,
      ({ prices, count, prompt, report }, drawn, priceMarkup) => {
        const plan = planImages({ model: 'm', prompt, n: count }, someModel({ kind: 'image', prices }))
        const drawnCount = Math.min(drawn, count)
        const charge = decideImageCharge({
          plan,
          drawnCount,
          report,
          inputTokenCountEstimate: prompt.length,
          prices,
          priceMarkup,
        })
        expect(charge.costNano).toBeGreaterThanOrEqual(0n)
        expect(charge.costNano).toBeLessThanOrEqual(plan.boundNano)
      },
    ),
  )
})

describe('the plan', () => {
  test('for a model priced by the picture is its price times the number, and one is the floor', () => {
    const plan = planImages({ model: 'm', prompt: 'A coin', n: 4 }, someModel({ prices: BY_PICTURE }))
    expect(plan).toMatchObject({ boundNano: 160_000_000n, minimumNano: 40_000_000n, imageCount: 4 })
  })

  test('counts pictures sent along, which are priced like the others', () => {
    const request = {
      model: 'm',
      prompt: 'A coin',
      input_references: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
    }
    const plan = planImages(request, someModel({ prices: BY_PICTURE }))
    expect(plan).toMatchObject({ boundNano: 80_000_000n, referenceCount: 1 })
  })

  test.each([
    [160_000_000n, 4],
    [159_999_999n, 3],
    [120_000_000n, 3],
    [40_000_000n, 1],
  ])('asks for as many pictures as %d nano-dollars pay for: %d', (heldNano, count) => {
    const plan = planImages({ model: 'm', prompt: 'A coin', n: 4 }, someModel({ prices: BY_PICTURE }))
    expect(heldImageCount(plan, BY_PICTURE, heldNano)).toBe(count)
  })

  test('never asks for more than was asked for, nor for pictures that the hold does not pay', () => {
    fc.assert(
      fc.property(asked, price, fc.bigInt({ min: 0n, max: 10n ** 10n }), (count, image, extra) => {
        const prices = { ...somePrices(), image }
        const plan = planImages({ model: 'm', prompt: 'x', n: count }, someModel({ prices }))
        const heldNano = minNano(plan.minimumNano + extra, plan.boundNano)
        const held = heldImageCount(plan, prices, heldNano)
        expect(held).toBeGreaterThanOrEqual(1)
        expect(held).toBeLessThanOrEqual(count)
        const own = planImages({ model: 'm', prompt: 'x', n: held }, someModel({ prices }))
        expect(own.boundNano).toBeLessThanOrEqual(heldNano)
      }),
    )
  })
})
