import 'server-only'

const HEADER_BYTES = 44
const BYTES_PER_SAMPLE = 2

/** A WAV file of one channel of 16-bit samples, each from -1 to 1. */
export function encodeWav(samples: Float32Array, samplesPerSecond: number): Buffer {
  const dataBytes = samples.length * BYTES_PER_SAMPLE
  const file = Buffer.alloc(HEADER_BYTES + dataBytes)
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(HEADER_BYTES - 8 + dataBytes, 4)
  file.write('WAVEfmt ', 8, 'latin1')
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(samplesPerSecond, 24)
  file.writeUInt32LE(samplesPerSecond * BYTES_PER_SAMPLE, 28)
  file.writeUInt16LE(BYTES_PER_SAMPLE, 32)
  file.writeUInt16LE(BYTES_PER_SAMPLE * 8, 34)
  file.write('data', 36, 'latin1')
  file.writeUInt32LE(dataBytes, 40)
  samples.forEach((sample, index) => {
    const level = Math.max(-1, Math.min(1, sample)) * 32_767
    file.writeInt16LE(Math.round(level), HEADER_BYTES + index * BYTES_PER_SAMPLE)
  })
  return file
}
