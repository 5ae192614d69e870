const HEADER_BYTES = 44
/** As in OpenAI's own WAV streams. */
const LENGTH_UNKNOWN = 0xff_ff_ff_ff

export const WAV_SAMPLE_BYTES = 2

/** The header for 16-bit samples of one channel; null if the count is not known yet. */
export function wavHeader(samplesPerSecond: number, sampleCount: number | null): Buffer {
  const dataBytes = sampleCount === null ? null : sampleCount * WAV_SAMPLE_BYTES
  const header = Buffer.alloc(HEADER_BYTES)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(dataBytes === null ? LENGTH_UNKNOWN : HEADER_BYTES - 8 + dataBytes, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(samplesPerSecond, 24)
  header.writeUInt32LE(samplesPerSecond * WAV_SAMPLE_BYTES, 28)
  header.writeUInt16LE(WAV_SAMPLE_BYTES, 32)
  header.writeUInt16LE(WAV_SAMPLE_BYTES * 8, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(dataBytes ?? LENGTH_UNKNOWN, 40)
  return header
}
