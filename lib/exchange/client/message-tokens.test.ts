import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { estimateTokens } from '@/lib/catalogue/domain/estimate-tokens'
import { readByteCountMax, scriptTokenCount } from '@/lib/catalogue/domain/text-bytes'
import { countText } from './message-tokens'

const LINE = 'A cup costs $3.50 in 2015, 語 é ﷺ 👍 and more.'

test('a growing text has the same count as if it were counted at once', () => {
  const growth = fc.array(fc.tuple(fc.integer({ min: 1, max: 6_000 }), fc.boolean(), fc.nat({ max: 9 })), {
    maxLength: 8,
  })
  fc.assert(
    fc.property(growth, pieces => {
      let text = ''
      for (const [length, isEnded, mark] of pieces) {
        text += `${mark}${LINE.repeat(length).slice(0, length)}${isEnded ? '\n' : ''}`
        countText(text)
        countText(`${mark}\n`.repeat(3_000))
      }
      const grown = countText(text)
      // Forgets it.
      for (let other = 0; other < 10; other += 1) countText(`${other}|\n`.repeat(2_000))
      expect(countText(text)).toEqual(grown)
      expect(grown.text).toBe(text)
      expect(grown.byteCount).toBe(readByteCountMax(text))
      expect(grown.scriptTokenCount).toBeCloseTo(scriptTokenCount(text), 6)
      const added = grown.tokenCount - estimateTokens(text)
      expect(added).toBeGreaterThanOrEqual(0)
      expect(added).toBeLessThanOrEqual(text.length / 4_000)
    }),
    { numRuns: 50 },
  )
})
