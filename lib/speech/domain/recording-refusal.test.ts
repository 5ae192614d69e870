import { describe, expect, test } from '@jest/globals'
import { ENCODED_AAC_FRAMES } from '@/test/fixtures/recordings/aac-frames'
import { concat, littleEndian, repeat } from '@/test/fixtures/recordings/bytes'
import {
  adtsFile,
  aiffFile,
  amrFile,
  commonMp3,
  flacFile,
  flacFrames,
  flacStreamInfo,
  SILENT_AAC,
  thinMp3,
} from '@/test/fixtures/recordings/frames'
import { aacDescription, mp4Box, mp4File, opusDescription } from '@/test/fixtures/recordings/mp4'
import { OPUS_20_MS, oggOpusFile, oggPage } from '@/test/fixtures/recordings/ogg'
import { waveChunk, waveFile } from '@/test/fixtures/recordings/wave'
import { ebmlElement, webmFile } from '@/test/fixtures/recordings/webm'
import { measureRecording } from './recording-length'

const times = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value)
/** Of one channel at 8 kHz. */
const encodedFrame = ENCODED_AAC_FRAMES.find(({ rateIndex }) => rateIndex === 11)?.bytes ?? []
const twoSeconds = new Uint8Array(64_000)
const opusFile = oggOpusFile({ packets: times(100, OPUS_20_MS), samplesPerPacket: 960 })
const m4a = { samples: times(100, SILENT_AAC) }
const opusInMp4 = mp4File({ samples: times(100, OPUS_20_MS), description: opusDescription() })
const webm = { frames: times(100, OPUS_20_MS) }

/** The same file with other numbers after the name of a box. */
function withFields(
  file: Uint8Array,
  name: string,
  fieldAt: number,
  ...fields: readonly number[]
): Uint8Array {
  const edited = Buffer.from(file)
  const at = edited.indexOf(name) + name.length + fieldAt
  for (const [index, field] of fields.entries()) edited.writeUInt32BE(field, at + index * 4)
  return edited
}

/** What decoders take for compressed sound, as plain samples of eight channels at 192 kHz. */
const asSamples = (sound: Uint8Array) => waveFile({ sound, channels: 8, rate: 192_000 })

describe('a recording that some decoder could play longer is refused', () => {
  // ffmpeg played each of these as what is hidden in it.
  test.each<[string, Uint8Array, RegExp]>([
    ['MP3 as plain samples', asSamples(thinMp3(100)), /hides compressed sound/],
    [
      'MP3 as plain samples, behind a little silence',
      asSamples(concat(new Uint8Array(4_000), thinMp3(100))),
      /hides/,
    ],
    [
      'MP3 as plain samples, behind noise',
      asSamples(concat(repeat(1_000, [1, 2, 3]), thinMp3(100))),
      /hides/,
    ],
    ['three frames of MP3 as plain samples', asSamples(concat(thinMp3(3), times(4_000, 1))), /hides/],
    ['AAC as plain samples', asSamples(adtsFile(100)), /hides/],
    [
      'AAC for broadcast as plain samples',
      asSamples(repeat(100, [0x56, 0xe0, 2], new Uint8Array(2))),
      /hides/,
    ],
    [
      'AC-3 as plain samples',
      asSamples(repeat(100, [0x0b, 0x77, 0, 0, 0, 0x40], new Uint8Array(122))),
      /hides/,
    ],
    [
      'E-AC-3 as plain samples',
      asSamples(repeat(100, [0x0b, 0x77, 0, 31, 0, 0x80], new Uint8Array(58))),
      /hides/,
    ],
    ['DTS as plain samples', asSamples(repeat(100, [0x7f, 0xfe, 0x80, 0x01], new Uint8Array(92))), /hides/],
    [
      'sound for an amplifier as plain samples',
      asSamples(repeat(9, [0x72, 0xf8, 0x1f, 0x4e], times(92, 1))),
      /hides/,
    ],
    [
      'MP3 in a transport stream as plain samples',
      asSamples(repeat(20, [0x47, 0x40, 1, 0x10, 0, 0, 1, 0xc0], times(180, 1))),
      /two formats/,
    ],
    [
      'a NUT file as plain samples',
      asSamples(concat([1], 'NMzV', [0x1f, 0x5f, 0x04, 0xad], times(99, 1))),
      /two formats/,
    ],
    [
      'an MXF file as plain samples',
      asSamples(concat([1, 6, 14, 43, 52, 2, 5, 1, 1, 13, 1, 2, 1, 1, 2], times(99, 1))),
      /two formats/,
    ],
    [
      'a program stream in MP3',
      repeat(3, thinMp3(2), [0xff, 0xe3, 0x18, 0xc4, 0, 0, 1, 0xba], new Uint8Array(64)),
      /two formats/,
    ],
    [
      'a dictaphone’s file that begins as WAV does',
      waveFile({ sound: concat(times(212, 1), [0x84], new Uint8Array(900)) }),
      /another format/,
    ],
    [
      'WAV of two sounds',
      waveFile({ sound: twoSeconds, behind: waveChunk('data', twoSeconds) }),
      /several sounds/,
    ],
    [
      'WAV of two formats',
      waveFile({ sound: twoSeconds, behind: waveChunk('fmt ', new Uint8Array(16)) }),
      /several sounds/,
    ],
    [
      'M4A that plays itself twenty times',
      mp4File({ ...m4a, edits: times(20, [102_400, 0] as const) }),
      /plays a part of itself again/,
    ],
    [
      'M4A with a second track hidden in a text',
      mp4File({ ...m4a, more: mp4Box('udta', mp4Box('trak')) }),
      /length twice/,
    ],
    ['M4A with a second movie', concat(mp4File(m4a), mp4Box('moov')), /length twice/],
    [
      'M4A that plays the same bytes again and again',
      withFields(withFields(opusInMp4, 'stsz', 4, 4, 100_000), 'stsc', 12, 100_000),
      /more sound than it contains/,
    ],
    ['M4A of very many tracks', mp4File({ ...m4a, more: repeat(32, mp4Box('trak')) }), /too many tracks/],
    [
      'M4A with two frames in one',
      mp4File({ samples: times(10, [...SILENT_AAC, ...SILENT_AAC]) }),
      /frames in frames/,
    ],
    [
      'M4A with frames behind one of an encoder',
      mp4File({
        samples: [...times(10, SILENT_AAC), concat(encodedFrame, SILENT_AAC)],
        description: aacDescription(11),
      }),
      /frames in frames/,
    ],
    [
      'M4A in fragments with two frames in one',
      mp4File({ samples: times(10, [...SILENT_AAC, ...SILENT_AAC]), isFragmented: true }),
      /frames in frames/,
    ],
    [
      'M4A with frames longer than a decoder holds',
      mp4File({ samples: times(10, Array(800).fill(0)) }),
      /frames in frames/,
    ],
    [
      'M4A of 3 MB, too much to look into each frame',
      mp4File({ samples: times(8_000, times(90, SILENT_AAC).flat()) }),
      /frames in frames/,
    ],
    [
      'M4A whose frames have headers of their own',
      mp4File({ samples: times(10, [...adtsFile(1)]) }),
      /sampling rate twice/,
    ],
    ['AAC with two frames in one', adtsFile(10, [...SILENT_AAC, ...SILENT_AAC]), /frames in frames/],
    [
      'AAC with a frame that hides the next',
      concat(adtsFile(1, [...SILENT_AAC, ...adtsFile(2)]), adtsFile(3)),
      /frames in frames/,
    ],
    [
      'AAC in WebM with two frames in one',
      webmFile({
        frames: times(10, [...SILENT_AAC, ...SILENT_AAC]),
        codec: 'A_AAC',
        codecPrivate: [0x14, 0x08],
      }),
      /frames in frames/,
    ],
    [
      'AAC that is cut off in a frame that hides others',
      concat(
        adtsFile(2),
        adtsFile(1, [0x80, ...times(30, 0xfe), ...adtsFile(2), ...times(9, 0)]).subarray(0, -1),
      ),
      /damaged/,
    ],
    [
      'AAC of another kind',
      adtsFile(10).map((byte, at) => (at % 11 === 2 ? byte & 0x3f : byte)),
      /kind of AAC/,
    ],
    [
      'WebM with a cluster in what is passed by',
      webmFile({
        ...webm,
        behind: ebmlElement([0xec], ebmlElement([0x1f, 0x43, 0xb6, 0x75], ebmlElement([0xe7], [0]))),
      }),
      /damaged/,
    ],
    [
      'Ogg in Ogg',
      oggPage({ packets: [opusFile.subarray(0, 250)], serial: 9, granule: 0, isFirst: true }),
      /Ogg/,
    ],
    [
      'Ogg with a page in a page',
      concat(opusFile, oggPage({ packets: [concat('OggS', times(40, 1))], serial: 1, granule: 0 })),
      /damaged/,
    ],
    ['Ogg with another file behind it', concat(opusFile, thinMp3(10)), /damaged/],
    ['WebM with another behind it', concat(webmFile(webm), webmFile(webm)), /damaged/],
    [
      'WebM without end, with another behind it',
      concat(webmFile({ ...webm, isSizeUnknown: true }), webmFile(webm)),
      /several recordings/,
    ],
    [
      'WebM with blocks that belong to no track',
      webmFile({
        ...webm,
        behind: ebmlElement([0x1f, 0x43, 0xb6, 0x75], ebmlElement([0xa3], [0x82, 0, 0, 0x80, 8])),
      }),
      /damaged/,
    ],
    ['WebM with packed frames', webmFile({ ...webm, more: ebmlElement([0x6d, 0x80]) }), /packed/],
    [
      'MP3 with a free bit rate',
      concat(commonMp3(3), repeat(9, [0xff, 0xfb, 0x00, 0xc4], new Uint8Array(60))),
      /free bit rate/,
    ],
    [
      'MP3 with sound in a tag between its frames',
      concat(thinMp3(9), 'TAG', times(21, 0), thinMp3(9)),
      /hides sound in a tag/,
    ],
    [
      'MP3 with a tag that decoders read differently',
      concat('ID3', [4, 0, 0x0f, 0, 0, 1, 0], new Uint8Array(128), thinMp3(9)),
      /tag/,
    ],
  ])('%s', (_, bytes, reason) => {
    expect(measureRecording(bytes)).toEqual({ outcome: 'refused', reason: expect.stringMatching(reason) })
  })
})

describe('an unreadable recording is refused', () => {
  test.each<[string, Uint8Array]>([
    ['nothing', new Uint8Array()],
    ['zeros', new Uint8Array(9_000)],
    ['a text', concat('Hello, this is no sound at all.')],
    ['a picture', concat([0x89], 'PNG', [13, 10, 26, 10], new Uint8Array(99))],
    ['an AVI file', concat('RIFF', [99, 0, 0, 0], 'AVI LIST', new Uint8Array(99))],
    ['WAV without a format', concat('RIFF', [99, 0, 0, 0], 'WAVE', waveChunk('data', twoSeconds))],
    ['WAV without sound', waveFile({ sound: new Uint8Array() })],
    ['WAV of a codec that is not taken', waveFile({ sound: twoSeconds, codec: 0x161 })],
    ['WAV of a codec without a number', waveFile({ sound: twoSeconds, codec: 0xfffe })],
    ['WAV without a rate', waveFile({ sound: twoSeconds, rate: 0 })],
    ['WAV of a rate beyond all sound', waveFile({ sound: twoSeconds, rate: 0xffffffff })],
    ['WAV without channels', waveFile({ sound: twoSeconds, channels: 0, blockBytes: 2 })],
    ['WAV without bits', waveFile({ sound: twoSeconds, bits: 0, blockBytes: 2 })],
    [
      'WAV of very many chunks',
      waveFile({ sound: twoSeconds, behind: repeat(1_001, waveChunk('LIST', [])) }),
    ],
    [
      'FLAC of very many descriptions',
      concat(
        'fLaC',
        [0, 0, 0, 34],
        flacStreamInfo({ frameCount: 1 }),
        repeat(1_001, [1, 0, 0, 0]),
        [0x81, 0, 0, 0],
        ...flacFrames({ frameCount: 1 }),
      ),
    ],
    ['WebM of very many parts', webmFile({ ...webm, behind: repeat(2_500_001, [0xec, 0x80]) })],
    [
      'AAC whose frames have no size',
      adtsFile(3).map((byte, at) => (at % 11 === 4 || at % 11 === 5 ? 0 : byte)),
    ],
    ['MP3 of bits and pieces', repeat(20_000, [0xff, 0xf0])],
    ['MP3 behind which there is much else', concat(commonMp3(9), times(20_000, 1))],
    ['AMR in more frames than fourteen hours have', amrFile(2_500_001, true)],
    ['FLAC without a frame', flacFile({ frameCount: 0 })],
    ['FLAC without a rate', flacFile({ frameCount: 1, claimedRate: 0 })],
    [
      'AIFF of a codec that is not taken',
      concat(aiffFile(twoSeconds).map((byte, at) => (at === 11 ? 0x43 : byte))),
    ],
    ['AMR of a kind of frame that nobody knows', concat(amrFile(3), [0x70])],
    [
      'M4A without a sample table',
      concat(mp4Box('ftyp', 'M4A '), mp4Box('moov', mp4Box('mvhd', new Uint8Array(100)))),
    ],
    ['a film without sound', mp4File({ ...m4a, handler: 'vide' })],
    [
      'MP4 of a codec that is not taken',
      mp4File({ ...m4a, description: mp4Box('ac-3', new Uint8Array(40)) }),
    ],
    ['WebM of a codec that is not taken', webmFile({ ...webm, codec: 'A_AC3' })],
    [
      'Speex, whose packets play as long as they like',
      oggPage({ packets: [concat('Speex   ', new Uint8Array(72))], serial: 1, granule: 0, isFirst: true }),
    ],
    ['more than a day of silence', flacFile({ frameCount: 330, rate: 250 })],
    ['more than a day by its header', flacFile({ frameCount: 1, claimedSamples: 2 ** 36 - 1 })],
    [
      'a large file that does not tell its size',
      concat('RF64', littleEndian(0xffffffff, 4), 'WAVE', waveChunk('data', twoSeconds)),
    ],
  ])('%s', (_, bytes) => {
    expect(measureRecording(bytes)).toEqual({
      outcome: 'refused',
      reason: expect.stringMatching(/^[A-Z].+\.$/),
    })
  })

  test('the refusal of another file type names the accepted ones', () => {
    expect(measureRecording(new Uint8Array(100))).toEqual({
      outcome: 'refused',
      reason:
        'This is not a recording that can be read here. Accepted formats are WAV, MP3, AAC, FLAC, Ogg, WebM, MP4 (M4A, MOV, 3GP), AIFF, CAF and AMR.',
    })
  })
})
