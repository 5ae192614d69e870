import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { price, somePrices } from '@/lib/catalogue/domain/testing'
import { believeSeconds, boundSeconds, guessSeconds, priceTranscription } from './transcription-cost'
import { waveSeconds } from './wave-file'

/** The head of a WAV file of so many bytes. */
function wave(fields: {
  byteCount: number
  format?: number
  channels?: number
  rate?: number
  bits?: number
}) {
  const { byteCount, format = 1, channels = 1, rate = 16_000, bits = 16 } = fields
  const file = Buffer.alloc(byteCount)
  file.write('RIFF', 0, 'latin1')
  file.write('WAVEfmt ', 8, 'latin1')
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(format, 20)
  file.writeUInt16LE(channels, 22)
  file.writeUInt32LE(rate, 24)
  file.writeUInt16LE(bits, 34)
  return file
}

const file = fc.uint8Array({ maxLength: 4_000 })

describe('the bounds of a recording', () => {
  test('hold for any bytes: at least a second, the guess within', () => {
    fc.assert(
      fc.property(file, bytes => {
        expect(boundSeconds(bytes)).toBeGreaterThanOrEqual(1)
        expect(guessSeconds(bytes)).toBeLessThanOrEqual(boundSeconds(bytes))
      }),
    )
  })

  test('of a WAV file are its length, as its own header tells it', () => {
    expect(boundSeconds(wave({ byteCount: 64_000 }))).toBe(2)
    expect(boundSeconds(wave({ byteCount: 64_000, channels: 2 }))).toBe(1)
  })

  test.each([
    ['compressed', { format: 2 }],
    ['without channels', { channels: 0 }],
    ['without samples', { rate: 0 }],
    ['of no bits', { bits: 0 }],
  ])('of a WAV file %s are those of any other file', (_, fields) => {
    expect(waveSeconds(wave({ byteCount: 7_500, ...fields }))).toBeNull()
    expect(boundSeconds(wave({ byteCount: 7_500, ...fields }))).toBe(10)
  })

  test('of a damaged WAV file are found without reading beyond it', () => {
    const damaged = fc
      .uint8Array({ maxLength: 200 })
      .map(rest => Buffer.concat([Buffer.from('RIFF1234WAVE'), rest]))
    fc.assert(
      fc.property(damaged, bytes => {
        const seconds = waveSeconds(bytes)
        expect(seconds === null || (Number.isFinite(seconds) && seconds > 0)).toBe(true)
      }),
    )
  })

  test.each([
    [null, null],
    [-1, null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    [101, null],
    [100, 100],
    [2.01, 3],
    [0, 1],
  ])('are what an upstream’s word of %p seconds is judged by', (told, believed) => {
    expect(believeSeconds(told, 10)).toBe(believed)
  })
})

describe('the price of a recording', () => {
  test('grows with every second and is never negative', () => {
    const count = fc.integer({ min: 1, max: 600_000 })
    fc.assert(
      fc.property(price, count, count, (inputSecond, one, other) => {
        const prices = { ...somePrices(), inputSecond }
        const [less, more] = [Math.min(one, other), Math.max(one, other)]
        expect(priceTranscription(prices, less)).toBeGreaterThanOrEqual(0n)
        expect(priceTranscription(prices, less)).toBeLessThanOrEqual(priceTranscription(prices, more))
      }),
    )
  })
})
