import { describe, expect, test } from '@jest/globals'
import { concat } from '@/test/fixtures/recordings/bytes'
import {
  adtsFile,
  aiffFile,
  amrFile,
  cafFile,
  commonMp3,
  flacFile,
  flacFrames,
  SILENT_AAC,
  thinMp3,
} from '@/test/fixtures/recordings/frames'
import { flacDescription, mp3Description, mp4File, opusDescription } from '@/test/fixtures/recordings/mp4'
import {
  OPUS_20_MS,
  OPUS_120_MS,
  oggFlacFile,
  oggOpusFile,
  oggVorbisFile,
  vorbisHeaders,
} from '@/test/fixtures/recordings/ogg'
import { waveChunk, waveFile } from '@/test/fixtures/recordings/wave'
import { ebmlElement, webmFile } from '@/test/fixtures/recordings/webm'
import { measureRecording } from './recording-length'

const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value)
const twoSeconds = new Uint8Array(64_000).fill(1)
const opus = { packets: times(100, OPUS_20_MS), samplesPerPacket: 960 }
const lacedHeaders = () => {
  const [identification = new Uint8Array(), comment = new Uint8Array(), setup = new Uint8Array()] =
    vorbisHeaders()
  return concat([2, identification.length, comment.length], identification, comment, setup)
}
const plainAudio = ebmlElement(
  [0xe1],
  ebmlElement([0xb5], [0x46, 0x7a, 0, 0]),
  ebmlElement([0x9f], [1]),
  ebmlElement([0x62, 0x64], [16]),
)

describe('a valid recording is as long as its frames', () => {
  test.each<[string, Uint8Array, number]>([
    ['WAV of plain samples', waveFile({ sound: twoSeconds }), 2],
    ['WAV of floats in stereo', waveFile({ sound: twoSeconds, codec: 3, channels: 2, bits: 32 }), 0.5],
    ['WAV of µ-law', waveFile({ sound: twoSeconds, codec: 7, bits: 8, rate: 8_000 }), 8],
    [
      'WAV of eight channels at 192 kHz',
      waveFile({ sound: new Uint8Array(6_144_000), channels: 8, rate: 192_000, bits: 32 }),
      1,
    ],
    ['WAV in the extensible form', waveFile({ sound: twoSeconds, subFormat: 1 }), 2],
    [
      'WAV with a title behind',
      waveFile({ sound: twoSeconds, behind: waveChunk('LIST', new Uint8Array(32_000)) }),
      2,
    ],
    [
      'WAV of IMA ADPCM',
      waveFile({ sound: new Uint8Array(1_024), codec: 0x11, bits: 4, blockBytes: 256 }),
      2_048 / 16_000,
    ],
    [
      'WAV of Microsoft’s ADPCM',
      waveFile({ sound: new Uint8Array(1_024), codec: 2, bits: 4, blockBytes: 256 }),
      2_048 / 16_000,
    ],
    ['WAV of MP3', waveFile({ sound: thinMp3(100), codec: 0x55 }), 7.2],
    ['MP3', commonMp3(100), (100 * 1_152) / 44_100],
    ['MP3 at 8 kbit/s', thinMp3(100), 7.2],
    [
      'MP3 with tags',
      concat('ID3', [4, 0, 0, 0, 0, 1, 0], new Uint8Array(128), thinMp3(10), 'TAG', new Uint8Array(125)),
      0.72,
    ],
    ['AAC', adtsFile(100), 6.4],
    ['FLAC', flacFile({ frameCount: 3 }), (3 * 65_535) / 16_000],
    ['FLAC in Ogg', oggFlacFile({ frameCount: 3 }), (3 * 65_535) / 16_000],
    ['Opus in Ogg', oggOpusFile(opus), 2],
    [
      'Opus in a chain of Ogg',
      concat(oggOpusFile(opus), oggOpusFile({ ...opus, serial: 2 }), oggOpusFile(opus)),
      6,
    ],
    // Alternating long and short blocks, a quarter of each. The very first counts in full.
    ['Vorbis', oggVorbisFile(times(50, [true, false]).flat(), 0), (99 * 576 + 1_024) / 16_000],
    ['M4A', mp4File({ samples: times(100, SILENT_AAC) }), 6.4],
    ['M4A in fragments', mp4File({ samples: times(250, SILENT_AAC), isFragmented: true }), 16],
    [
      'Opus in MP4',
      mp4File({ samples: times(100, OPUS_20_MS), description: opusDescription(), ticksPerSample: 320 }),
      2,
    ],
    [
      'MP3 in MP4',
      mp4File({ samples: times(50, thinMp3(1)), description: mp3Description(), ticksPerSample: 1_152 }),
      3.6,
    ],
    [
      'FLAC in MP4',
      mp4File({
        samples: flacFrames({ frameCount: 3 }),
        description: flacDescription({ frameCount: 3 }),
        ticksPerSample: 65_535,
      }),
      (3 * 65_535) / 16_000,
    ],
    ['WebM', webmFile({ frames: times(100, OPUS_20_MS) }), 2],
    ['WebM as a browser records it', webmFile({ frames: times(100, OPUS_20_MS), isSizeUnknown: true }), 2],
    [
      'WebM with several frames in a block',
      webmFile({ frames: times(100, OPUS_20_MS), framesPerBlock: 5 }),
      2,
    ],
    [
      'Vorbis in WebM',
      webmFile({
        frames: times(20, [0x02]),
        codec: 'A_VORBIS',
        codecPrivate: lacedHeaders(),
        millisecondsPerFrame: 64,
      }),
      1.28,
    ],
    [
      'plain samples in WebM',
      webmFile({
        frames: times(10, times(3_200, 0)),
        codec: 'A_PCM/INT/LIT',
        more: plainAudio,
        millisecondsPerFrame: 100,
      }),
      1,
    ],
    ['AMR', amrFile(100), 2],
    ['AIFF', aiffFile(twoSeconds), 2],
    ['CAF', cafFile(twoSeconds), 2],
  ])('%s', (_, bytes, seconds) => {
    expect(measureRecording(bytes)).toMatchObject({
      outcome: 'measured',
      seconds: expect.closeTo(seconds, 6),
    })
  })
})

describe('a wrong header does not shorten a recording', () => {
  test.each<[string, Uint8Array, number]>([
    [
      'half an hour of MP3 in WAV as eight channels at 192 kHz',
      waveFile({ sound: thinMp3(25_000), subFormat: 0x55, channels: 8, rate: 192_000, bits: 32 }),
      1_800,
    ],
    ['two hours of silence in FLAC', flacFile({ frameCount: 1_758, claimedSamples: 16_000 }), 7_200],
    [
      'two hours of silence in FLAC that call themselves 192 kHz',
      flacFile({ frameCount: 1_758, claimedRate: 192_000, claimedSamples: 0 }),
      7_200,
    ],
    [
      'two hours of silence in Opus',
      oggOpusFile({ packets: times(60_000, OPUS_120_MS), samplesPerPacket: 5_760, claimedSamples: 0 }),
      7_200,
    ],
    ['two hours of silence in AMR', amrFile(360_000, true), 7_200],
    [
      'Opus of packets that are empty, or tell no frames or too many',
      oggOpusFile({ packets: times(30, [[], [0x1b], [0x1b, 0], [0x1b, 63]]).flat(), samplesPerPacket: 0 }),
      120 * 0.12,
    ],
    [
      'MP3 in a frame of MP3 that nothing follows',
      concat(commonMp3(1), [0xff, 0xfb, 0x90, 0xc4], thinMp3(5), times(53, 0), [1], commonMp3(48)),
      5 * 0.072 + (50 * 1_152) / 44_100,
    ],
    ['WAV whose sound ends at once', waveFile({ sound: twoSeconds, claimedBytes: 2 }), 2],
    ['WAV whose sound ends at once, and odd', waveFile({ sound: twoSeconds, claimedBytes: 1 }), 2],
    ['WAV whose sound has no size', waveFile({ sound: twoSeconds, claimedBytes: 0 }), 2],
    ['WAV of more bytes in a second', waveFile({ sound: twoSeconds, bytesPerSecond: 1e9 }), 2],
    ['WAV of larger blocks', waveFile({ sound: twoSeconds, blockBytes: 64 }), 2],
    ['WAV of fewer bits in use', waveFile({ sound: twoSeconds, subFormat: 1, validBits: 8 }), 4],
    ['AIFF whose sound ends at once', aiffFile(twoSeconds, 8), 2],
    ['M4A whose times are short', mp4File({ samples: times(100, SILENT_AAC), ticksPerSample: 1 }), 6.4],
    [
      'M4A in fragments whose times are short',
      mp4File({ samples: times(100, SILENT_AAC), ticksPerSample: 1, isFragmented: true }),
      6.4,
    ],
    ['M4A whose edits show little', mp4File({ samples: times(100, SILENT_AAC), edits: [[1, 0]] }), 6.4],
    [
      'WebM whose times stand still',
      webmFile({ frames: times(100, OPUS_120_MS), millisecondsPerFrame: 0 }),
      12,
    ],
    ['Vorbis whose times stand still', oggVorbisFile(times(100, true), 1), (99 * 1_024 + 1_024) / 16_000],
  ])('%s', (_, bytes, seconds) => {
    const measured = measureRecording(bytes)
    expect(measured).toMatchObject({ outcome: 'measured', seconds: expect.any(Number) })
    expect(measured.outcome === 'measured' && measured.seconds).toBeGreaterThanOrEqual(seconds)
    expect(measured.outcome === 'measured' && measured.seconds).toBeLessThan(seconds * 1.01)
  })

  test.each<[string, Uint8Array, number]>([
    ['the samples of a FLAC header', flacFile({ frameCount: 1, claimedSamples: 160_000 }), 10],
    [
      'the pages of an Ogg file, from the first to the last',
      oggOpusFile({ ...opus, claimedSamples: 480_000 }),
      6,
    ],
    ['the table of times of an M4A', mp4File({ samples: times(100, SILENT_AAC), ticksPerSample: 1_600 }), 10],
    [
      'a silence in front of an M4A',
      mp4File({
        samples: times(100, SILENT_AAC),
        edits: [
          [57_600, -1],
          [102_400, 0],
        ],
      }),
      10,
    ],
    ['the blocks of a WebM', webmFile({ frames: times(100, OPUS_20_MS), millisecondsPerFrame: 100 }), 9.92],
  ])('but counts where it is longer: %s', (_, bytes, seconds) => {
    expect(measureRecording(bytes)).toMatchObject({
      outcome: 'measured',
      seconds: expect.closeTo(seconds, 6),
    })
  })
})
