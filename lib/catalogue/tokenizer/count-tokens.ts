import 'server-only'
import { setImmediate as loopTurn } from 'node:timers/promises'

/**
 * Merging takes quadratic time in the length of a piece without spaces, so that a megabyte of one letter would take
 * minutes. With slices of this length the worst takes about two milliseconds, and prose counts hardly more than as a
 * whole.
 */
const SLICE_LENGTH = 256
/**
 * Merging works on bytes, and characters of most scripts have three: as many of these would take nine times as long.
 */
const SLICE_BYTES_MAX = 512
/** How far back to look for a space to cut at: nearly every token begins with a space or after one. */
const CUT_BACK_MAX = 64
/** The time for one turn of the event loop; its last slice may take as long again. */
const TURN_MS_MAX = 5
/** A million random characters take three seconds; longer texts are sampled and extrapolated. */
const COUNTED_BYTES_MAX = 128 * 1024
const SAMPLE_BYTES = 256
const SAMPLE_COUNT = COUNTED_BYTES_MAX / SAMPLE_BYTES
/** The longest text that OpenAI speaks. Forty thousand hostile characters take most of a second. */
const UNPAID_LENGTH_MAX = 4_096

/**
 * How many tokens `o200k_base` makes of the texts: exact except for the cuts, up to 131,072 bytes; beyond that from an
 * unpredictable sample, with an error of a few percent. The time is bounded however hostile the text, and no turn of
 * the event loop takes more than about ten milliseconds.
 */
export async function countTokens(texts: Iterable<string>): Promise<number> {
  const listed = [...texts]
  const length = listed.reduce((sum, text) => sum + text.length, 0)
  if (length === 0) return 0
  const count = pacedCounter(await loadTokenizer())
  return byteCountOf(listed) > COUNTED_BYTES_MAX
    ? sampleTokens(listed, length, count)
    : countAll(listed, count)
}

/** For a question that nobody pays for: at most as many tokens as that, since each has at least one byte. */
export async function boundTokens(texts: Iterable<string>): Promise<number> {
  const listed = [...texts]
  const length = listed.reduce((sum, text) => sum + text.length, 0)
  return length > UNPAID_LENGTH_MAX ? byteCountOf(listed) : countTokens(listed)
}

function byteCountOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

type Counter = (slice: string) => number | Promise<number>

async function countAll(texts: readonly string[], count: Counter): Promise<number> {
  let tokenCount = 0
  for (const text of texts) for (const slice of slicesOf(text)) tokenCount += await count(slice)
  return tokenCount
}

export function* slicesOf(text: string): Generator<string> {
  const sliceLength = sliceLengthOf(text, SLICE_BYTES_MAX)
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = cutAfter(text, start, sliceLength)
    yield text.slice(start, end)
  }
}

/** About how many characters of a text have so many bytes. */
function sliceLengthOf(text: string, byteCount: number): number {
  return Math.min(SLICE_LENGTH, Math.ceil((byteCount * text.length) / Buffer.byteLength(text)))
}

function cutAfter(text: string, start: number, sliceLength: number): number {
  const end = start + sliceLength
  if (end >= text.length) return text.length
  for (let cut = end; cut > end - CUT_BACK_MAX; cut -= 1) if (text[cut] === ' ') return cut
  const isWithinPair = /[\ud800-\udbff]/.test(text[end - 1] ?? '')
  return isWithinPair ? end - 1 : end
}

/** Takes one slice at a random place in each of as many equal stretches. */
async function sampleTokens(texts: readonly string[], length: number, count: Counter): Promise<number> {
  const stretch = length / SAMPLE_COUNT
  let tokenCount = 0
  let begin = 0
  let index = 0
  let place = Math.random() * stretch
  for (const text of texts) {
    const sliceLength = sliceLengthOf(text, SAMPLE_BYTES)
    for (; place < begin + text.length; place = (index + Math.random()) * stretch) {
      const start = Math.floor((place - begin) / sliceLength) * sliceLength
      const slice = text.slice(start, start + sliceLength)
      tokenCount += ((await count(slice)) / slice.length) * stretch
      index += 1
    }
    begin += text.length
  }
  return Math.ceil(tokenCount)
}

/** Counts immediately while its turn lasts, and then waits for another turn. */
function pacedCounter(tokenize: (slice: string) => number): Counter {
  let turnBeganAtMs = performance.now()
  return slice => {
    if (performance.now() - turnBeganAtMs < TURN_MS_MAX) return tokenize(slice)
    return nextTurn().then(() => {
      turnBeganAtMs = performance.now()
      return tokenize(slice)
    })
  }
}

let lastTurn: Promise<unknown> = Promise.resolve()

/** Waiting counts proceed one after another, each in a turn of the loop of its own. */
function nextTurn(): Promise<unknown> {
  lastTurn = lastTurn.then(() => loopTurn())
  return lastTurn
}

let loading: Promise<(slice: string) => number> | undefined

/** Two hundred thousand tokens: about 65 MB, and 170 ms once, which only processes that need it pay for. */
function loadTokenizer(): Promise<(slice: string) => number> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then(encoding => {
    // Its cache would keep fragments of conversations in memory.
    encoding.setMergeCacheSize(0)
    // What looks like one of the model's special tokens is ordinary text here.
    const options = { disallowedSpecial: new Set<string>() }
    return slice => encoding.countTokens(slice, options)
  })
  return loading
}
