const FORMAT_CHUNK_BYTES = 16
/** Samples as plain numbers (PCM, floats, and the extensible form of both): every second has one size. */
const PLAIN_FORMATS = new Set([1, 3, 0xfffe])
/** The chunks before the samples are few; a file with more hides something. */
const CHUNK_COUNT_MAX = 32

/**
 * How long a WAV file plays: its size over the size of a second, as a decoder reckons it. Null for any
 * other file, and for compressed or damaged ones.
 */
export function waveSeconds(file: Uint8Array): number | null {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  if (file.byteLength < 12 || ascii(file, 0) !== 'RIFF' || ascii(file, 8) !== 'WAVE') return null
  let position = 12
  for (
    let chunk = 0;
    chunk < CHUNK_COUNT_MAX && position + 8 + FORMAT_CHUNK_BYTES <= file.byteLength;
    chunk += 1
  ) {
    const byteCount = view.getUint32(position + 4, true)
    if (ascii(file, position) === 'fmt ') return secondsByFormat(view, position + 8, file.byteLength)
    position += 8 + byteCount + (byteCount % 2)
  }
  return null
}

function secondsByFormat(view: DataView, position: number, fileByteCount: number): number | null {
  const channelCount = view.getUint16(position + 2, true)
  const samplesPerSecond = view.getUint32(position + 4, true)
  const bitsPerSample = view.getUint16(position + 14, true)
  const bytesPerSecond = (channelCount * samplesPerSecond * bitsPerSample) / 8
  if (!PLAIN_FORMATS.has(view.getUint16(position, true)) || bytesPerSecond === 0) return null
  return fileByteCount / bytesPerSecond
}

function ascii(file: Uint8Array, start: number): string {
  return String.fromCharCode(...file.subarray(start, start + 4))
}
