import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { ENCODED_AAC_FRAMES } from '@/test/fixtures/recordings/aac-frames'
import { concat } from '@/test/fixtures/recordings/bytes'
import { SILENT_AAC } from '@/test/fixtures/recordings/frames'
import { AacFrames } from './aac-frame'
import { bandWidths, SCALE_FACTOR_CODES, SPECTRAL_CODES } from './aac-tables'

const encoded = ENCODED_AAC_FRAMES.map((frame, index) => [`${index + 1}`, frame] as const)
const rateIndices = Array.from({ length: 13 }, (_, rateIndex) => rateIndex)

describe('a frame of an encoder', () => {
  test.each(encoded)('ends at the end of its packet, also with other packets behind it: %s', (_, frame) => {
    const packet = concat(frame.bytes, SILENT_AAC, frame.bytes)
    const frames = new AacFrames(packet, frame.rateIndex)
    const { byteLength } = frame.bytes
    expect(frames.endOf(0, byteLength)).toBe(byteLength)
    expect(frames.endOf(0, packet.byteLength)).toBe(byteLength)
    expect(frames.endOf(byteLength, packet.byteLength)).toBe(byteLength + SILENT_AAC.length)
  })

  test.each(encoded)('has no end when it is truncated: %s', (_, { rateIndex, bytes }) => {
    for (let cut = 0; cut < bytes.byteLength; cut += 1) {
      expect(new AacFrames(bytes, rateIndex).endOf(0, cut)).toBeNull()
    }
  })
})

test('arbitrary bytes have an end inside, none, or an unsupported kind', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc
      .tuple(fc.constantFrom(...ENCODED_AAC_FRAMES), fc.nat(200), fc.nat(255))
      .map(([frame, place, value]) => frame.bytes.map((byte, at) => (at === place ? value : byte))),
  )
  fc.assert(
    fc.property(bytes, fc.constantFrom(...rateIndices), (some, rateIndex) => {
      const ended = () => new AacFrames(some, rateIndex).endOf(0, some.byteLength)
      try {
        const end = ended()
        expect(end === null || (end > 0 && end <= some.byteLength)).toBe(true)
      } catch (error) {
        expect(error).toMatchObject({ message: 'This kind of AAC is not accepted.' })
      }
    }),
    { numRuns: 2_000 },
  )
})

describe('the Huffman tables', () => {
  test.each([SCALE_FACTOR_CODES, ...SPECTRAL_CODES])(
    'cover every bit pattern, and list the extra bits of every code or of none: %#',
    table => {
      const part = table.counts.reduce((sum, count, index) => sum + count / 2 ** (index + 1), 0)
      expect(part).toBe(1)
      const codeCount = table.counts.reduce((sum, count) => sum + count, 0)
      expect([0, codeCount]).toContain(table.more?.length ?? 0)
    },
  )

  test.each(rateIndices)('divide a whole window at sample rate index %p', rateIndex => {
    const sum = (widths: readonly number[]) => widths.reduce((total, width) => total + width, 0)
    expect(sum(bandWidths(rateIndex, false))).toBe(1_024)
    expect(sum(bandWidths(rateIndex, true))).toBe(128)
  })
})
