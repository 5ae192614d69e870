/** The least that browsers play: one byte a sample, and few samples. */
const SAMPLES_PER_SECOND = 8_000
const SILENCE = 0x80
const HEADER_BYTES = 44

/** Silence of so many seconds, which every browser can play whatever formats it came with. */
export function silentWav(seconds: number): Buffer {
  const sampleCount = Math.round(seconds * SAMPLES_PER_SECOND)
  const header = Buffer.alloc(HEADER_BYTES)
  header.write('RIFF', 0)
  header.writeUInt32LE(HEADER_BYTES - 8 + sampleCount, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(SAMPLES_PER_SECOND, 24)
  header.writeUInt32LE(SAMPLES_PER_SECOND, 28)
  header.writeUInt16LE(1, 32)
  header.writeUInt16LE(8, 34)
  header.write('data', 36)
  header.writeUInt32LE(sampleCount, 40)
  return Buffer.concat([header, Buffer.alloc(sampleCount, SILENCE)])
}
