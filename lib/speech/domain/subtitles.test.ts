import { expect, test } from '@jest/globals'
import { writeSubtitles } from './subtitles'

const heard = (more: Record<string, unknown>) => ({
  text: 'Hello. How are you?',
  language: 'en',
  durationSeconds: 4,
  more,
})
const SEGMENTS = [
  { id: 0, start: 0, end: 1.5, text: ' Hello.' },
  { id: 1, start: 3_661.0004, end: 3_662.9996, text: ' a --> b\n\n<c> & d' },
]
const WORDS = [
  { word: 'Hello.', start: 0.1, end: 0.5 },
  { word: 'How', start: 1, end: 1.2 },
  { word: 'are', start: 1.2, end: 1.4 },
  { word: 'you?', start: 1.4, end: 2 },
]

test('subtitles have the times of segments', () => {
  expect(writeSubtitles(heard({ segments: SEGMENTS, words: WORDS }), { format: 'srt', secondCount: 4 })).toBe(
    '1\n00:00:00,000 --> 00:00:01,500\nHello.\n\n2\n01:01:01,000 --> 01:01:03,000\na -> b <c> & d\n\n',
  )
})

test('of the web, they are escaped', () => {
  expect(writeSubtitles(heard({ segments: SEGMENTS }), { format: 'vtt', secondCount: 4 })).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello.\n\n01:01:01.000 --> 01:01:03.000\na --&gt; b &lt;c&gt; &amp; d\n\n',
  )
})

test('of words, they end with a sentence', () => {
  expect(writeSubtitles(heard({ words: WORDS }), { format: 'srt', secondCount: 4 })).toBe(
    '1\n00:00:00,100 --> 00:00:00,500\nHello.\n\n2\n00:00:01,000 --> 00:00:02,000\nHow are you?\n\n',
  )
})

test('of many words without a sentence, they fit two lines', () => {
  const words = Array.from({ length: 40 }, (_, index) => ({ word: 'word', start: index, end: index + 1 }))
  const cues = writeSubtitles(heard({ words }), { format: 'vtt', secondCount: 40 }).split('\n\n').slice(1, -1)
  expect(cues.map(cue => cue.split('\n')[1]?.length)).toEqual([84, 84, 29])
})

test.each([{}, { segments: [] }, { segments: [{ id: 0, text: 'Hello.' }] }, { words: [{ word: 'Hello.' }] }])(
  'without times, as in %j, the text stands over the whole recording',
  more => {
    expect(writeSubtitles(heard(more), { format: 'srt', secondCount: 4 })).toBe(
      '1\n00:00:00,000 --> 00:00:04,000\nHello. How are you?\n\n',
    )
  },
)
