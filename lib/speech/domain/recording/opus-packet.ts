import type { RecordingBytes } from './recording-bytes'

/** Opus always counts samples at this rate, whatever the recording's was. */
export const OPUS_RATE = 48_000
/** The longest packet that RFC 6716 allows: 120 ms. */
const SAMPLES_MAX = 5_760
const SILK_SAMPLES = [480, 960, 1_920, 2_880]
const HYBRID_SAMPLES = [480, 960]
const CELT_SAMPLES = [120, 240, 480, 960]

/**
 * How much a packet plays, by its first two bytes (RFC 6716, 3.1). An empty, cut-off or invalid packet counts as the
 * longest one, because decoders fill its place.
 */
export function opusSamples(source: RecordingBytes, at: number, byteCount: number): number {
  const first = source.bytes[at]
  if (byteCount === 0 || first === undefined) return SAMPLES_MAX
  const configuration = first >> 3
  const frames =
    configuration < 12
      ? SILK_SAMPLES[configuration & 3]
      : configuration < 16
        ? HYBRID_SAMPLES[configuration & 1]
        : CELT_SAMPLES[configuration & 3]
  const code = first & 3
  const frameCount = code === 0 ? 1 : code < 3 ? 2 : byteCount > 1 ? (source.bytes[at + 1] ?? 0) & 0x3f : 0
  const sampleCount = (frames ?? 0) * frameCount
  return sampleCount === 0 || sampleCount > SAMPLES_MAX ? SAMPLES_MAX : sampleCount
}
