import { z } from 'zod'
import type { Transcript } from './transcript'

const second = z.number().finite().nonnegative()
const segments = z.array(z.object({ start: second, end: second, text: z.string() })).nonempty()
const words = z.array(z.object({ start: second, end: second, word: z.string() })).nonempty()

interface Cue {
  start: number
  end: number
  text: string
}

/** Two lines of subtitles. */
const CUE_CHARACTERS_MAX = 84

const FORMATS = {
  srt: {
    head: '',
    number: (index: number) => `${index + 1}\n`,
    comma: ',',
    text: (text: string) => text.replaceAll('-->', '->'),
  },
  vtt: {
    head: 'WEBVTT\n\n',
    number: () => '',
    comma: '.',
    text: (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  },
} as const

/**
 * A transcript as subtitles, from the times that the host tells: of segments, else of words. If it tells none, all of
 * the text stands over the whole recording.
 */
export function writeSubtitles(
  transcript: Transcript,
  { format, secondCount }: { format: keyof typeof FORMATS; secondCount: number },
): string {
  const { head, number, comma, text: written } = FORMATS[format]
  const cues = cuesOf(transcript) ?? [{ start: 0, end: secondCount, text: transcript.text }]
  const blocks = cues.map(({ start, end, text }, index) => {
    // An empty line would end the cue.
    const line = text.trim().replaceAll(/\s+/g, ' ')
    return `${number(index)}${timeOf(start, comma)} --> ${timeOf(end, comma)}\n${written(line)}\n\n`
  })
  return head + blocks.join('')
}

function cuesOf({ more }: Transcript): Cue[] | null {
  return segments.safeParse(more.segments).data ?? cuesOfWords(words.safeParse(more.words).data)
}

/** Up to the end of a sentence, or as many words as fit. */
function cuesOfWords(spoken: z.output<typeof words> | undefined): Cue[] | null {
  if (!spoken) return null
  const cues: Cue[] = []
  for (const { start, end, word } of spoken) {
    const cue = cues.at(-1)
    const isFull =
      !cue || /[.?!…。？！]$/.test(cue.text) || cue.text.length + word.length >= CUE_CHARACTERS_MAX
    if (isFull) cues.push({ start, end, text: word })
    else cues.splice(-1, 1, { ...cue, end, text: `${cue.text} ${word}` })
  }
  return cues
}

function timeOf(seconds: number, comma: string): string {
  const milliseconds = Math.round(seconds * 1_000)
  const part = (unit: number, base: number, width: number) =>
    String(Math.floor(milliseconds / unit) % base).padStart(width, '0')
  const hours = String(Math.floor(milliseconds / 3_600_000)).padStart(2, '0')
  return `${hours}:${part(60_000, 60, 2)}:${part(1_000, 60, 2)}${comma}${part(1, 1_000, 3)}`
}
