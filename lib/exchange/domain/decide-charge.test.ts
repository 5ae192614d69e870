import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { NO_USAGE } from '@/lib/catalogue/domain/cost'
import { parseDecimal, ZERO } from '@/lib/money/decimal'
import { ceilToNano, minNano, NANO_MAX } from '@/lib/money/nano'
import { type CostFacts, type Counted, countsOf, decideCharge, NO_COUNTS } from './decide-charge'

const usd = (text: string) => {
  const decimal = parseDecimal(text)
  if (!decimal) throw new Error(`${text} is no decimal`)
  return decimal
}
const counted = (costNano: bigint): Counted => ({ costNano, counts: NO_COUNTS })
const FACTS: CostFacts = {
  end: 'completed',
  hasOutput: true,
  isRefused: false,
  isFree: false,
  reportedCost: null,
  priceMarkup: ZERO,
  upstreamCount: counted(500n),
  localCount: counted(300n),
}
const reported = (text: string) => ({ usd: usd(text), basis: 'upstream_cost' as const })

describe('what a call costs', () => {
  test('is what the upstream says that it costs, with the markup', () => {
    const charge = decideCharge({ ...FACTS, reportedCost: reported('0.0000007'), priceMarkup: usd('0.1') })
    expect(charge).toMatchObject({ costNano: 770n, absorbedNano: 0n, costBasis: 'upstream_cost' })
  })

  test('is by the upstream’s counts where it tells no cost, and by ours where it tells nothing', () => {
    expect(decideCharge(FACTS)).toMatchObject({ costNano: 500n, costBasis: 'upstream_tokens' })
    expect(decideCharge({ ...FACTS, upstreamCount: null })).toMatchObject({
      costNano: 300n,
      costBasis: 'local_count',
      estimated: true,
    })
  })

  test('is shown with the counts that decided it, as an estimate only if nobody knows them', () => {
    const upstreamCount = { ...counted(500n), counts: { ...NO_COUNTS, outputTokenCount: 7 } }
    const localCount = { ...counted(300n), counts: { ...NO_COUNTS, outputTokenCount: 9 } }
    const byUpstream = decideCharge({ ...FACTS, upstreamCount, localCount })
    expect(byUpstream).toMatchObject({ counts: { outputTokenCount: 7 }, estimated: false })
    const byUs = decideCharge({ ...FACTS, upstreamCount: null, localCount })
    expect(byUs).toMatchObject({ counts: { outputTokenCount: 9 }, estimated: true })
    const exactly = { ...localCount, isExact: true }
    const byExactCount = decideCharge({ ...FACTS, upstreamCount: null, localCount: exactly })
    expect(byExactCount).toMatchObject({ estimated: false })
  })

  test('is what is possible where more is reported, and the rest of the bill is the operator’s', () => {
    const beyond = { ...counted(500n), billedNano: 9_000n }
    expect(decideCharge({ ...FACTS, upstreamCount: beyond })).toMatchObject({
      costNano: 500n,
      absorbedNano: 8_500n,
    })
  })

  test('is what we count where nobody tells, and what may be billed beyond is the operator’s', () => {
    const own = { ...counted(300n), billedNano: 2_000n }
    expect(decideCharge({ ...FACTS, upstreamCount: null, localCount: own })).toMatchObject({
      costNano: 300n,
      absorbedNano: 1_700n,
    })
  })

  test('has no negative rest, even if more tokens were billed at a lower price', () => {
    const upstreamCount = { ...counted(500n), billedNano: 400n }
    expect(decideCharge({ ...FACTS, upstreamCount })).toMatchObject({ costNano: 500n, absorbedNano: 0n })
  })

  test('has a rest within the largest transfer, whatever is billed', () => {
    const upstreamCount = { ...counted(500n), billedNano: NANO_MAX * 2n }
    expect(decideCharge({ ...FACTS, upstreamCount })).toMatchObject({ absorbedNano: NANO_MAX - 500n })
  })

  test.each(['0', '-0.5'])('is not %s, whatever the upstream says, when it has a price', text => {
    expect(decideCharge({ ...FACTS, reportedCost: reported(text) })).toMatchObject({ costNano: 500n })
  })

  test('is what was reported even far above the bound: the ledger charges the hold and books the rest', () => {
    expect(decideCharge({ ...FACTS, reportedCost: reported('100') })).toMatchObject({
      costNano: 100_000_000_000n,
    })
    expect(decideCharge({ ...FACTS, reportedCost: reported('1e30') })).toMatchObject({ costNano: NANO_MAX })
  })

  test('is nothing for what is free, and what is billed all the same is the operator’s', () => {
    const free = { ...FACTS, isFree: true, upstreamCount: counted(0n), localCount: counted(0n) }
    expect(decideCharge(free)).toMatchObject({ costNano: 0n, absorbedNano: 0n })
    expect(decideCharge({ ...free, reportedCost: reported('0.25') })).toMatchObject({
      costNano: 0n,
      absorbedNano: 250_000_000n,
    })
  })

  test('is what was delivered when it failed after that', () => {
    const failed = { ...FACTS, end: 'failed' as const, upstreamCount: null }
    expect(decideCharge(failed)).toMatchObject({ costNano: 300n, costBasis: 'local_count', estimated: true })
  })

  test('is nothing when it failed before any output, and what is billed all the same is the operator’s', () => {
    const failed = { ...FACTS, end: 'failed' as const, hasOutput: false, isRefused: true }
    expect(decideCharge({ ...failed, upstreamCount: null })).toMatchObject({ costNano: 0n, absorbedNano: 0n })
    expect(decideCharge(failed)).toMatchObject({ costNano: 0n, absorbedNano: 500n })
    expect(decideCharge({ ...failed, reportedCost: reported('0.0000002') })).toMatchObject({
      costNano: 0n,
      absorbedNano: 200n,
    })
  })

  test('is the operator’s where it broke off without a word: the prompt was read', () => {
    const cut = { ...FACTS, end: 'failed' as const, hasOutput: false }
    expect(decideCharge(cut)).toMatchObject({ costNano: 0n, absorbedNano: 500n })
    expect(decideCharge({ ...cut, upstreamCount: null })).toMatchObject({ costNano: 0n, absorbedNano: 300n })
  })

  test('is the operator’s without a markup, and with everything that may be billed', () => {
    const cut = { ...FACTS, end: 'failed' as const, hasOutput: false, priceMarkup: usd('0.1') }
    expect(decideCharge({ ...cut, reportedCost: reported('0.0000007') })).toMatchObject({
      costNano: 0n,
      absorbedNano: 700n,
    })
    const localCount = { ...counted(300n), billedNano: 2_000n }
    expect(decideCharge({ ...cut, upstreamCount: null, localCount })).toMatchObject({ absorbedNano: 2_000n })
  })

  test('is what the upstream counted of an answer without a word, and without its count the operator’s', () => {
    const wordless = { ...FACTS, hasOutput: false, localCount: { ...counted(300n), billedNano: 2_000n } }
    expect(decideCharge(wordless)).toMatchObject({ costNano: 500n, absorbedNano: 0n })
    expect(decideCharge({ ...wordless, upstreamCount: null })).toMatchObject({
      costNano: 0n,
      absorbedNano: 2_000n,
      costBasis: 'none',
    })
  })

  test('is the prompt at least for whoever leaves before the first word', () => {
    const left = { ...FACTS, end: 'left' as const, hasOutput: false, upstreamCount: null }
    expect(decideCharge(left)).toMatchObject({ costNano: 300n })
  })

  const nano = fc.bigInt({ min: 0n, max: 10n ** 15n })
  const facts: fc.Arbitrary<CostFacts> = fc.record({
    end: fc.constantFrom('completed', 'left', 'failed'),
    hasOutput: fc.boolean(),
    isRefused: fc.boolean(),
    isFree: fc.boolean(),
    reportedCost: fc.option(
      fc.bigInt({ min: -(10n ** 12n), max: 10n ** 21n }).map(coefficient => ({
        usd: { coefficient, scale: 9 },
        basis: 'upstream_cost' as const,
      })),
    ),
    priceMarkup: fc.constantFrom(ZERO, usd('0.055')),
    upstreamCount: fc.option(nano.map(counted)),
    localCount: nano.map(counted),
  })

  test('is never negative, and never less than what was reported but as a loss of the operator', () => {
    fc.assert(
      fc.property(facts, input => {
        const { costNano, absorbedNano } = decideCharge(input)
        expect(costNano >= 0n && absorbedNano >= 0n && costNano <= NANO_MAX).toBe(true)
        if (!input.reportedCost || input.reportedCost.usd.coefficient <= 0n) return
        const billedNano = ceilToNano(input.reportedCost.usd)
        const coveredNano = costNano + absorbedNano
        expect(coveredNano >= minNano(billedNano, NANO_MAX)).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })

  test('is nothing whenever it is free or nothing came, whatever anybody says', () => {
    fc.assert(
      fc.property(facts, input => {
        fc.pre(input.isFree || (input.end === 'failed' && !input.hasOutput))
        expect(decideCharge(input).costNano).toBe(0n)
      }),
    )
  })
})

test('counts that cost something of their own are kept for the receipt, and zeros are not', () => {
  expect(countsOf(NO_USAGE)).toEqual(NO_COUNTS)
  expect(countsOf({ ...NO_USAGE, inputTokenCount: 9, audioInputTokenCount: 4, imageCount: 2 })).toEqual({
    ...NO_COUNTS,
    inputTokenCount: 9,
    otherCounts: { audio_input: 4, image: 2 },
  })
})
