import { isAdts, measureAdts } from './recording/aac'
import { isAmr, measureAmr } from './recording/amr'
import { measureFlac } from './recording/flac'
import { holdsOtherContainer, holdsProgramStream } from './recording/hidden-sound'
import { measureMatroska } from './recording/matroska'
import { measureMp4 } from './recording/mp4'
import { isMpeg, measureMpeg } from './recording/mpeg-audio'
import { measureOgg } from './recording/ogg'
import { measureAiff, measureCaf } from './recording/plain-sound'
import { RecordingBytes, refuse, UnreadableRecording } from './recording/recording-bytes'
import { refuseTooLong } from './recording/sound-length'
import { skipLeadingTags } from './recording/tags'
import { measureWave } from './recording/wave'

const ACCEPTED =
  'Accepted formats are WAV, MP3, AAC, FLAC, Ogg, WebM, MP4 (M4A, MOV, 3GP), AIFF, CAF and AMR.'
const MP4_BEGINNINGS = ['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip']

/** The file extension of each supported container. */
export type RecordingExtension =
  | 'wav'
  | 'mp3'
  | 'aac'
  | 'flac'
  | 'ogg'
  | 'webm'
  | 'mp4'
  | 'aiff'
  | 'caf'
  | 'amr'

export type MeasuredRecording =
  | { outcome: 'measured'; seconds: number; extension: RecordingExtension }
  | { outcome: 'refused'; reason: string }

/**
 * The longest duration that any decoder would find, from the frames in the file. A header can only make it longer; a
 * file that decoders interpret differently, or that is damaged, is refused.
 */
export function measureRecording(bytes: Uint8Array): MeasuredRecording {
  try {
    const source = new RecordingBytes(bytes)
    const start = skipLeadingTags(source)
    const { extension, measure } = containerOf(source, start)
    const isBare = extension === 'mp3' || extension === 'aac'
    if (holdsOtherContainer(source, start) || (isBare && holdsProgramStream(source, start))) {
      refuse('The recording is in two formats at once.')
    }
    const seconds = measure(source, start)
    if (!(seconds > 0)) refuse('The recording contains no sound.')
    refuseTooLong(seconds)
    return { outcome: 'measured', seconds, extension }
  } catch (error) {
    if (error instanceof UnreadableRecording) return { outcome: 'refused', reason: error.message }
    throw error
  }
}

interface Container {
  extension: RecordingExtension
  measure(source: RecordingBytes, start: number): number
}

/** Decided by the beginning of the file, as decoders do; its name and type are only the client's claim. */
function containerOf(source: RecordingBytes, start: number): Container {
  const isRiff = source.has('RIFF', 0) || source.has('RF64', 0)
  if (isRiff && source.has('WAVE', 8)) return { extension: 'wav', measure: measureWave }
  if (source.has('OggS', 0)) return { extension: 'ogg', measure: measureOgg }
  if (source.has('\x1a\x45\xdf\xa3', 0)) return { extension: 'webm', measure: measureMatroska }
  if (MP4_BEGINNINGS.some(name => source.has(name, 4))) return { extension: 'mp4', measure: measureMp4 }
  const isAiff = source.has('AIFF', 8) || source.has('AIFC', 8)
  if (isAiff && source.has('FORM', 0)) return { extension: 'aiff', measure: measureAiff }
  if (source.has('caff', 0)) return { extension: 'caf', measure: measureCaf }
  if (isAmr(source)) return { extension: 'amr', measure: measureAmr }
  if (source.has('fLaC', start)) return { extension: 'flac', measure: measureFlac }
  if (isAdts(source.bytes, start)) return { extension: 'aac', measure: measureAdts }
  if (isMpeg(source, start)) return { extension: 'mp3', measure: measureMpeg }
  refuse(`This is not a recording that can be read here. ${ACCEPTED}`)
}
