import { waveSeconds } from './wave-file'

export type MeasuredRecording =
  | { outcome: 'measured'; seconds: number }
  | { outcome: 'refused'; reason: string }

/** The thinnest speech that is recorded: Opus and AMR at 6 kbit/s. */
const BYTES_PER_SECOND_MIN = 750

/** How long a recording can be. */
export function measureRecording(bytes: Uint8Array): MeasuredRecording {
  return { outcome: 'measured', seconds: waveSeconds(bytes) ?? bytes.byteLength / BYTES_PER_SECOND_MIN }
}
