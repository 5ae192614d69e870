/** The most that `POST /v1/audio/speech` accepts in one request, the same as OpenAI's. */
export const SPEECH_INPUT_LENGTH_MAX = 4_096

export interface PieceLengths {
  /** Short, so that the first sound comes soon. */
  readonly first: number
  readonly next: number
}

/** About 15 and 60 seconds of speech: somebody who stops early has not paid for much that was not heard. */
const PIECE_LENGTHS: PieceLengths = { first: 280, next: 1_000 }

/** Where a voice may pause, the best place first; each match ends where the next piece begins. */
const BREAKS = [/\n+/g, /[.!?…]["'”’»)\]]*\s+|[。！？][”’」』]*/g, /[,;:–—]\s+|[，；：、]/g, /\s+/g] as const
/** A break nearer to the beginning would make the piece too short to be worth a request. */
const SHARE_FILLED_MIN = 0.4

/** Splits speakable text into pieces of limited length (in UTF-16), at the ends of sentences. */
export function splitSpeech(text: string, lengths: PieceLengths = PIECE_LENGTHS): string[] {
  const pieces: string[] = []
  let rest = text.trim()
  while (rest !== '') {
    const lengthMax = Math.min(pieces.length === 0 ? lengths.first : lengths.next, SPEECH_INPUT_LENGTH_MAX)
    const length = rest.length <= lengthMax ? rest.length : cutBefore(rest, lengthMax)
    const piece = rest.slice(0, length).trim()
    if (piece !== '') pieces.push(piece)
    rest = rest.slice(length).trimStart()
  }
  return pieces
}

/** Where to cut a text that is longer than `lengthMax`: at least 1, at most `lengthMax`. */
function cutBefore(text: string, lengthMax: number): number {
  const head = text.slice(0, lengthMax + 1)
  for (const pattern of BREAKS) {
    let best = 0
    for (const match of head.matchAll(pattern)) {
      // White space at the cut is not part of the piece, so it may exceed the limit.
      const end = match.index + match[0].trimEnd().length
      if (end <= lengthMax) best = end
    }
    if (best >= lengthMax * SHARE_FILLED_MIN) return best
  }
  // Never between the two halves of one character.
  const last = text.charCodeAt(lengthMax - 1)
  const isHalf = last >= 0xd800 && last <= 0xdbff
  return isHalf && lengthMax > 1 ? lengthMax - 1 : lengthMax
}
