/** A recording, and the duration that a decoder finds. */
export interface Sound {
  bytes: Uint8Array<ArrayBuffer>
  seconds: number
}

const ascii = (text: string) => Buffer.from(text, 'latin1')
const little = (value: number, byteCount: number) => {
  const bytes = Buffer.alloc(byteCount)
  bytes.writeUIntLE(value, 0, byteCount)
  return bytes
}
const big = (value: number, byteCount: number) => {
  const bytes = Buffer.alloc(byteCount)
  bytes.writeUIntBE(value, 0, byteCount)
  return bytes
}
const sound = (pieces: Uint8Array[], seconds: number): Sound => ({
  bytes: new Uint8Array(Buffer.concat(pieces)),
  seconds,
})

export interface WaveFormat {
  tag: number
  channelCount: number
  samplesPerSecond: number
  bitsPerSample: number
}

/** The minimum that browsers play. */
export const PLAIN_WAVE: WaveFormat = { tag: 1, channelCount: 1, samplesPerSecond: 8_000, bitsPerSample: 8 }

/** Silence according to its header, which every browser can play whatever formats it supports. */
export function wave(seconds: number, format: WaveFormat = PLAIN_WAVE): Sound {
  const bytesPerSecond = (format.channelCount * format.samplesPerSecond * format.bitsPerSample) / 8
  // One-byte samples have their zero in the middle of the range.
  const samples = Buffer.alloc(Math.round(seconds * bytesPerSecond), format.bitsPerSample === 8 ? 0x80 : 0)
  return sound([waveFile(format, samples)], seconds)
}

const MP3_SUBFORMAT = Buffer.from('5500000000001000800000aa00389b71', 'hex')
const EXTENSIBLE = 0xfffe

/** A WAV whose header claims hundreds of channels, and whose data is MP3, which is what decoders go by. */
export function mp3InWave(seconds: number, tag: number): Sound {
  const format = { tag, channelCount: 8, samplesPerSecond: 192_000, bitsPerSample: 32 }
  return sound([waveFile(format, Buffer.from(mp3(seconds).bytes))], seconds)
}

export const mp3InExtensibleWave = (seconds: number) => mp3InWave(seconds, EXTENSIBLE)

function waveFile(format: WaveFormat, data: Buffer): Buffer {
  const { tag, channelCount, samplesPerSecond, bitsPerSample } = format
  const frameBytes = (channelCount * bitsPerSample) / 8
  const extension =
    tag === EXTENSIBLE ? [little(22, 2), little(bitsPerSample, 2), little(0, 4), MP3_SUBFORMAT] : []
  const fields = [
    ...[little(tag, 2), little(channelCount, 2), little(samplesPerSecond, 4)],
    ...[
      little(samplesPerSecond * frameBytes, 4),
      little(frameBytes, 2),
      little(bitsPerSample, 2),
      ...extension,
    ],
  ]
  const chunk = (name: string, body: Buffer) => Buffer.concat([ascii(name), little(body.length, 4), body])
  const chunks = Buffer.concat([ascii('WAVE'), chunk('fmt ', Buffer.concat(fields)), chunk('data', data)])
  return Buffer.concat([ascii('RIFF'), little(chunks.length, 4), chunks])
}

/** Frames of 72 bytes and 72 milliseconds: MPEG 2.5, layer III, 8 kbit/s, 8 kHz, one channel. */
export function mp3(seconds: number): Sound {
  const frame = Buffer.concat([Buffer.from([0xff, 0xe3, 0x18, 0xc4]), Buffer.alloc(68)])
  const frameCount = Math.ceil(seconds / 0.072)
  return sound([Buffer.alloc(frame.length * frameCount, frame)], frameCount * 0.072)
}

/** Two empty frames of 60 ms per packet of three bytes: two hours in a third of a megabyte. */
export function opusSilence(seconds: number): Sound {
  const packet = Buffer.from([(3 << 3) | 3, 0x80 | 2, 0])
  const packetCount = Math.ceil(seconds / 0.12)
  const head = Buffer.concat([
    ascii('OpusHead'),
    Buffer.from([1, 1]),
    little(0, 2),
    little(48_000, 4),
    little(0, 3),
  ])
  const tags = Buffer.concat([ascii('OpusTags'), little(4, 4), ascii('test'), little(0, 4)])
  const pages = [oggPage([head], 2, 0, 0), oggPage([tags], 0, 0, 1)]
  for (let done = 0; done < packetCount; done += 255) {
    const packets = Array<Buffer>(Math.min(255, packetCount - done)).fill(packet)
    const isLast = done + packets.length === packetCount
    pages.push(oggPage(packets, isLast ? 4 : 0, (done + packets.length) * 5_760, pages.length))
  }
  return sound(pages, packetCount * 0.12)
}

function oggPage(packets: Buffer[], flags: number, granule: number, sequence: number): Buffer {
  const page = Buffer.concat([
    ...[
      ascii('OggS'),
      Buffer.from([0, flags]),
      little(granule % 2 ** 32, 4),
      little(Math.floor(granule / 2 ** 32), 4),
    ],
    ...[little(1, 4), little(sequence, 4), little(0, 4), Buffer.from([packets.length])],
    ...[Buffer.from(packets.map(({ length }) => length)), ...packets],
  ])
  page.writeUInt32LE(remainder(page, 0x04c11db7, 32), 22)
  return page
}

const FLAC_BLOCK_SAMPLES = 65_535
const FLAC_RATE = 8_000

/** One constant per eight seconds: two hours in a dozen kilobytes. What its header claims is a separate argument. */
export function flacSilence(seconds: number, claimedSeconds: number): Sound {
  const frameCount = Math.ceil((seconds * FLAC_RATE) / FLAC_BLOCK_SAMPLES)
  const claimedSampleCount = BigInt(Math.round(claimedSeconds * FLAC_RATE))
  const info = Buffer.alloc(34)
  info.writeUInt16BE(FLAC_BLOCK_SAMPLES, 0)
  info.writeUInt16BE(FLAC_BLOCK_SAMPLES, 2)
  info.writeBigUInt64BE((BigInt(FLAC_RATE) << 44n) | (0n << 41n) | (15n << 36n) | claimedSampleCount, 10)
  const frames = Array.from({ length: frameCount }, (_, index) => flacFrame(index))
  const header = Buffer.concat([ascii('fLaC'), Buffer.from([0x80]), big(34, 3), info])
  return sound([header, ...frames], (frameCount * FLAC_BLOCK_SAMPLES) / FLAC_RATE)
}

function flacFrame(index: number): Buffer {
  const number = index < 128 ? [index] : [0xc0 | (index >> 6), 0x80 | (index & 0x3f)]
  const head = Buffer.from([0xff, 0xf8, 0x70 | 4, 4 << 1, ...number, 0xff, 0xfe])
  const body = Buffer.concat([head, Buffer.from([remainder(head, 0x07, 8)]), Buffer.from([0, 0, 0])])
  return Buffer.concat([body, big(remainder(body, 0x8005, 16), 2)])
}

/** A cyclic redundancy check, without reflection or a start value. */
function remainder(bytes: Buffer, polynomial: number, width: 8 | 16 | 32): number {
  const top = 2 ** (width - 1)
  const all = 2 ** width
  let value = 0
  for (const byte of bytes) {
    value = (value ^ (byte * 2 ** (width - 8))) >>> 0
    for (let bit = 0; bit < 8; bit += 1) {
      value = value >= top ? (((value * 2) % all) ^ polynomial) >>> 0 : value * 2
    }
  }
  return value
}

/** Bytes that begin like a container but are not one. */
export function brokenContainer(start: string, byteCount: number): Sound {
  return sound([ascii(start), Buffer.alloc(byteCount, 0x2a)], 600)
}
