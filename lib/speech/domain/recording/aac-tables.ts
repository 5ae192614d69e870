/**
 * The part of AAC's tables (ISO 14496-3, 4.A) that is needed to find the end of a frame: the length of each code and of
 * the bits after it, but not its meaning. Determined by testing how decoders read each code.
 */

/** The codes of one table by length: those of one bit, then those of two, and so on. The codes are consecutive. */
export interface CodeTable {
  counts: readonly number[]
  /** The signs that follow each code; a, b and c are 1, 2 and 2 with one, one and two escapes. */
  more?: string
}

export const SCALE_FACTOR_CODES: CodeTable = {
  counts: [1, 0, 1, 3, 2, 4, 3, 5, 4, 6, 6, 6, 5, 8, 4, 7, 3, 7, 46],
}

/** By the number of the codebook, starting at 1. */
export const SPECTRAL_CODES: readonly CodeTable[] = [
  { counts: [1, 0, 0, 0, 8, 0, 24, 0, 24, 8, 16] },
  { counts: [0, 0, 1, 1, 7, 24, 15, 19, 14] },
  {
    counts: [1, 0, 0, 4, 2, 6, 3, 5, 15, 15, 8, 9, 3, 3, 5, 2],
    more: '011112222232343311223232331221224334323244332333223243344233333344442233434443233',
  },
  {
    counts: [0, 0, 0, 10, 6, 0, 9, 21, 8, 14, 11, 2],
    more: '433331202222121144443333333333332222222222221111444444333333333433344422222243333',
  },
  { counts: [1, 0, 0, 4, 4, 0, 4, 12, 12, 12, 18, 10, 4] },
  { counts: [0, 0, 0, 9, 0, 16, 13, 8, 23, 8, 4] },
  {
    counts: [1, 0, 2, 1, 0, 4, 5, 10, 14, 15, 8, 4],
    more: '0112221122211222222221122212122222222211222222222222112222222222',
  },
  {
    counts: [0, 0, 1, 5, 7, 10, 14, 15, 8, 4],
    more: '2212120112222222221122222222221212222222121222222222221212222112',
  },
  {
    counts: [1, 0, 2, 1, 0, 4, 3, 8, 11, 20, 31, 38, 32, 14, 4],
    more:
      '0112221122211222222221122222221212222222212222222212221222212222112222222222222122212222222222222222' +
      '222212212222222122222222222222212212222122222222222222222222222222222',
  },
  {
    counts: [0, 0, 0, 3, 8, 14, 17, 25, 31, 41, 22, 8],
    more:
      '2222112222211222202211222222222222121222222222222121222222222222222222122222122222222222222222121222' +
      '222212222221222222222222222221212122222222222222212122212221222222122',
  },
  {
    counts: [0, 0, 0, 2, 6, 7, 16, 59, 55, 95, 43, 6],
    more:
      '02c11222222121222222211222222222222222bbbbb2b121b2bbbb22222bb22bbb22b2bbb2b22bb2221bb222212bb22b2b22' +
      '22222b221222222122222222222222122222222222a222222a21222222222222222222222222222222122222222222222222' +
      '21222222222222222222222222222112222222222222222222222222212212122212222211222212212112112',
  },
]

type Bands = readonly (readonly [bandCount: number, width: number])[]

/** The number and width of the bands in frames with one long window; by the index of the rate below. */
const LONG_BANDS: readonly Bands[] = [
  [
    [14, 4],
    [5, 8],
    [5, 12],
    [2, 16],
    [1, 24],
    [1, 28],
    [1, 36],
    [1, 44],
    [11, 64],
  ],
  [
    [14, 4],
    [4, 8],
    [3, 12],
    [3, 16],
    [1, 20],
    [2, 24],
    [1, 28],
    [1, 36],
    [18, 40],
  ],
  [
    [10, 4],
    [7, 8],
    [4, 12],
    [2, 16],
    [2, 20],
    [2, 24],
    [2, 28],
    [19, 32],
    [1, 96],
  ],
  [
    [10, 4],
    [7, 8],
    [4, 12],
    [2, 16],
    [2, 20],
    [2, 24],
    [2, 28],
    [22, 32],
  ],
  [
    [11, 4],
    [10, 8],
    [4, 12],
    [3, 16],
    [2, 20],
    [2, 24],
    [2, 28],
    [1, 32],
    [2, 36],
    [1, 40],
    [1, 44],
    [1, 48],
    [2, 52],
    [5, 64],
  ],
  [
    [11, 8],
    [9, 12],
    [4, 16],
    [3, 20],
    [2, 24],
    [2, 28],
    [1, 32],
    [1, 36],
    [2, 40],
    [1, 44],
    [1, 48],
    [1, 52],
    [1, 56],
    [1, 60],
    [3, 64],
  ],
  [
    [13, 12],
    [7, 16],
    [4, 20],
    [3, 24],
    [2, 28],
    [1, 32],
    [2, 36],
    [1, 40],
    [1, 44],
    [1, 48],
    [1, 52],
    [1, 56],
    [1, 60],
    [1, 64],
    [1, 80],
  ],
]
const LONG_BANDS_OF_RATE = [0, 0, 1, 2, 2, 3, 4, 4, 5, 5, 5, 6, 6]

/** The same for each of eight short windows. */
const SHORT_BANDS: readonly Bands[] = [
  [
    [6, 4],
    [3, 8],
    [1, 16],
    [1, 28],
    [1, 36],
  ],
  [
    [5, 4],
    [3, 8],
    [3, 12],
    [3, 16],
  ],
  [
    [7, 4],
    [3, 8],
    [2, 12],
    [2, 16],
    [1, 20],
  ],
  [
    [8, 4],
    [2, 8],
    [2, 12],
    [1, 16],
    [2, 20],
  ],
  [
    [7, 4],
    [4, 8],
    [1, 12],
    [1, 16],
    [2, 20],
  ],
]
const SHORT_BANDS_OF_RATE = [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 4, 4]

/** The width of each band. */
export function bandWidths(rateIndex: number, isShort: boolean): readonly number[] {
  const bands = isShort
    ? SHORT_BANDS[SHORT_BANDS_OF_RATE[rateIndex] ?? 0]
    : LONG_BANDS[LONG_BANDS_OF_RATE[rateIndex] ?? 0]
  return (bands ?? []).flatMap(([bandCount, width]) => Array<number>(bandCount).fill(width))
}
