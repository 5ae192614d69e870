import type { SpeechFormat } from './contract'

/**
 * Nominal sizes of a second of speech in OpenAI's formats. Only where the sound broke off does it matter
 * how long it had been.
 */
export const BYTES_PER_SECOND: Readonly<Record<SpeechFormat, number>> = {
  mp3: 16_000,
  opus: 8_000,
  aac: 12_000,
  flac: 24_000,
  wav: 48_000,
  pcm: 48_000,
}

export const CONTENT_TYPES: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}

/**
 * What may be handed on from this site's origin: sound, or the events that some models send it in. Null
 * for anything else, such as a page.
 */
export function soundType(contentType: string | undefined, format: SpeechFormat): string | null {
  const [type = ''] = (contentType ?? '').toLowerCase().split(';')
  const name = type.trim()
  if (/^audio\/[\w.+-]{1,40}$/.test(name)) return name
  if (name === '' || name === 'application/octet-stream') return CONTENT_TYPES[format]
  return name === 'text/event-stream' ? 'text/event-stream; charset=utf-8' : null
}
