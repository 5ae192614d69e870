import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { concat } from '@/test/fixtures/recordings/bytes'
import {
  adtsFile,
  amrFile,
  commonMp3,
  flacFile,
  flacFrames,
  SILENT_AAC,
} from '@/test/fixtures/recordings/frames'
import { mp4File, opusDescription } from '@/test/fixtures/recordings/mp4'
import { OPUS_20_MS, OPUS_120_MS, oggOpusFile, oggVorbisFile } from '@/test/fixtures/recordings/ogg'
import { waveFile } from '@/test/fixtures/recordings/wave'
import { webmFile } from '@/test/fixtures/recordings/webm'
import { type MeasuredRecording, measureRecording } from './recording-length'

const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value)
const count = fc.integer({ min: 1, max: 60 })
const number32 = fc.integer({ min: 0, max: 2 ** 32 - 1 })
/** The seconds that `measureRecording` returns; a refusal counts as longer than any recording. */
const secondsOf = (measured: MeasuredRecording) =>
  measured.outcome === 'measured' ? measured.seconds : Number.POSITIVE_INFINITY
/** For sums of fractions of seconds. */
const ROUNDING_SECONDS = 1e-9

interface Sample {
  bytes: Uint8Array
  /** How long it plays. */
  seconds: number
}

/** Recordings with arbitrary headers. */
const lyingRecordings: Record<string, fc.Arbitrary<Sample>> = {
  WAV: fc
    .record({
      frames: count,
      channels: count,
      claimedBytes: number32,
      bytesPerSecond: number32,
      isExtensible: fc.boolean(),
    })
    .map(({ frames, channels, claimedBytes, bytesPerSecond, isExtensible }) => ({
      bytes: waveFile({
        sound: new Uint8Array(frames * channels * 2),
        channels,
        claimedBytes,
        bytesPerSecond,
        ...(isExtensible ? { subFormat: 1 } : {}),
      }),
      seconds: frames / 16_000,
    })),
  FLAC: fc
    .record({
      frameCount: count,
      samplesPerFrame: fc.integer({ min: 16, max: 65_535 }),
      rate: fc.integer({ min: 1_000, max: 65_535 }),
      claimedRate: fc.integer({ min: 1, max: 2 ** 20 - 1 }),
      claimedSamples: fc.integer({ min: 0, max: 2 ** 36 - 1 }),
    })
    .map(options => ({
      bytes: flacFile(options),
      seconds: (options.frameCount * options.samplesPerFrame) / options.rate,
    })),
  Opus: fc.record({ packetCount: count, claimedSamples: number32, packetsPerPage: count }).map(options => ({
    bytes: oggOpusFile({
      ...options,
      packets: times(options.packetCount, OPUS_120_MS),
      samplesPerPacket: 5_760,
    }),
    seconds: options.packetCount * 0.12,
  })),
  Vorbis: fc
    .record({ isLong: fc.array(fc.boolean(), { minLength: 1 }), claimedSamples: number32 })
    .map(({ isLong, claimedSamples }) => {
      const blocks = isLong.map(long => (long ? 2_048 : 256))
      const overlapping = blocks.slice(1).map((block, index) => ((blocks[index] ?? 0) + block) / 4)
      return {
        bytes: oggVorbisFile(isLong, claimedSamples),
        seconds: overlapping.reduce((sum, samples) => sum + samples, 0) / 16_000,
      }
    }),
  M4A: fc
    .record({
      frames: count,
      ticksPerSecond: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
      ticksPerSample: number32,
      isFragmented: fc.boolean(),
      edits: fc.array(fc.tuple(number32, fc.constantFrom(0, -1)), { maxLength: 3 }),
    })
    .map(options => ({
      bytes: mp4File({ ...options, samples: times(options.frames, SILENT_AAC) }),
      seconds: options.frames * 0.064,
    })),
  'Opus in MP4': fc
    .record({ frames: count, ticksPerSample: number32, isFragmented: fc.boolean() })
    .map(({ frames, ...options }) => ({
      bytes: mp4File({ ...options, samples: times(frames, OPUS_20_MS), description: opusDescription() }),
      seconds: frames * 0.02,
    })),
  WebM: fc
    .record({
      frames: count,
      millisecondsPerFrame: fc.nat(100),
      isSizeUnknown: fc.boolean(),
      framesPerBlock: count,
    })
    .map(({ frames, ...options }) => ({
      bytes: webmFile({ ...options, frames: times(frames, OPUS_20_MS) }),
      seconds: frames * 0.02,
    })),
}

describe('changing a header never makes a recording shorter than it plays', () => {
  test.each(Object.entries(lyingRecordings))('in %s', (_, recordings) => {
    fc.assert(
      fc.property(recordings, ({ bytes, seconds }) => {
        expect(secondsOf(measureRecording(bytes))).toBeGreaterThanOrEqual(seconds - ROUNDING_SECONDS)
      }),
    )
  })
})

/** Files of frames that decoders find one by one, and the beginning and end of each. */
const FRAME_COUNT = 12
const framed = {
  MP3: { bytes: commonMp3(FRAME_COUNT), headBytes: 0, seconds: 1_152 / 44_100 },
  AAC: { bytes: adtsFile(FRAME_COUNT), headBytes: 0, seconds: 0.064 },
  FLAC: {
    bytes: flacFile({ frameCount: FRAME_COUNT, samplesPerFrame: 4_096 }),
    headBytes: flacFile({ frameCount: 0 }).byteLength,
    seconds: 4_096 / 16_000,
  },
  AMR: { bytes: amrFile(FRAME_COUNT), headBytes: 6, seconds: 0.02 },
  Opus: {
    bytes: oggOpusFile({ packets: times(FRAME_COUNT, OPUS_20_MS), samplesPerPacket: 960, packetsPerPage: 1 }),
    headBytes: oggOpusFile({ packets: [], samplesPerPacket: 960 }).byteLength,
    seconds: 0.02,
  },
}

describe('a damaged recording is at least as long as its intact part, or refused', () => {
  test.each(Object.entries(framed))('in %s', (_, { bytes, headBytes, seconds }) => {
    const frameBytes = (bytes.byteLength - headBytes) / FRAME_COUNT
    const places = fc.tuple(fc.nat(bytes.byteLength - 1), fc.nat(7))
    fc.assert(
      fc.property(places, fc.nat(bytes.byteLength), ([flipped, bit], cut) => {
        const damaged = bytes.map((byte, at) => (at === flipped ? byte ^ (1 << bit) : byte)).subarray(0, cut)
        const intact = Array.from(
          { length: FRAME_COUNT },
          (_, frame) => headBytes + frame * frameBytes,
        ).filter(start => start + frameBytes <= cut && (flipped < start || flipped >= start + frameBytes))
        const measured = secondsOf(measureRecording(damaged))
        expect(measured).toBeGreaterThanOrEqual(intact.length * seconds - ROUNDING_SECONDS)
      }),
      { numRuns: 500 },
    )
  })
})

describe('arbitrary bytes are measured or refused', () => {
  const beginnings = [
    ...Object.values(framed).map(({ bytes }) => bytes),
    waveFile({ sound: new Uint8Array(400) }),
    waveFile({ sound: commonMp3(3), subFormat: 0x55 }),
    mp4File({ samples: times(9, SILENT_AAC), edits: [[9_216, 0]] }),
    mp4File({ samples: times(9, OPUS_20_MS), description: opusDescription(), isFragmented: true }),
    webmFile({ frames: times(9, OPUS_20_MS), framesPerBlock: 3 }),
    webmFile({ frames: times(9, OPUS_20_MS), isSizeUnknown: true }),
    oggVorbisFile(times(9, true), 0),
    flacFile({ frameCount: 0 }),
  ]

  test('and the result is a valid length', () => {
    const edits = fc.array(fc.tuple(fc.nat(2_000), fc.integer({ min: 0, max: 255 })), { maxLength: 6 })
    const bytes = fc
      .record({
        beginning: fc.constantFrom(...beginnings),
        edits,
        cut: fc.nat(2_000),
        behind: fc.uint8Array(),
      })
      .map(({ beginning, edits: some, cut, behind }) => {
        const edited = concat(beginning.subarray(0, cut), behind)
        for (const [at, byte] of some) if (at < edited.byteLength) edited[at] = byte
        return edited
      })
    fc.assert(
      fc.property(bytes, damaged => {
        const measured = measureRecording(damaged)
        if (measured.outcome === 'refused') expect(measured.reason).toMatch(/\.$/)
        else expect(measured.seconds > 0 && measured.seconds <= 24 * 3_600).toBe(true)
      }),
      { numRuns: 5_000 },
    )
  })

  test('wherever they lie in memory', () => {
    const file = waveFile({ sound: new Uint8Array(32_000) })
    const inside = concat([1, 2, 3], file).subarray(3)
    expect(measureRecording(inside)).toEqual(measureRecording(file))
  })
})

test('only FLAC frames with a correct checksum are found', () => {
  const [frame = new Uint8Array()] = flacFrames({ frameCount: 1, samplesPerFrame: 16_000 })
  const header = flacFile({ frameCount: 0, samplesPerFrame: 16_000, claimedSamples: 0 })
  fc.assert(
    fc.property(fc.nat(8), fc.nat(7), (place, bit) => {
      const spoilt = frame.map((byte, at) => (at === place ? byte ^ (1 << bit) : byte))
      expect(measureRecording(concat(header, frame, spoilt, frame))).toMatchObject({ seconds: 2 })
    }),
  )
})
