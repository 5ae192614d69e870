import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isShowable, readPictureSize } from './picture-size'

const dataUrl = (bytes: readonly number[]) => `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`
const ascii = (text: string) => [...Buffer.from(text)]
const zeros = (count: number) => Array.from({ length: count }, () => 0)

const PNG = [0x89, ...ascii('PNG'), ...zeros(12), 0, 0, 3, 0x20, 0, 0, 2, 0x58]
const GIF = [...ascii('GIF89a'), 0x20, 3, 0x58, 2]
const FRAME = [0xff, 0xc2, 0, 17, 8, 2, 0x58, 3, 0x20, 3, 0, 0]
const JPEG = [0xff, 0xd8, 0xff, 0xe1, 0, 6, 1, 2, 3, 4, 0xff, 0xc4, 0, 4, 9, 9, ...FRAME]
const webp = (kind: string, rest: readonly number[]) => [
  ...ascii('RIFF'),
  ...zeros(4),
  ...ascii(`WEBP${kind}`),
  ...rest,
]
const EXTENDED = webp('VP8X', [...zeros(8), 0x1f, 3, 0, 0x57, 2, 0])
const LOSSY = webp('VP8 ', [...zeros(10), 0x20, 3, 0x58, 2])
const LOSSLESS = webp('VP8L', [...zeros(4), 0x2f, 0x1f, 0xc3, 0x95, 0, ...zeros(5)])

test.each([
  ['PNG', PNG],
  ['GIF', GIF],
  ['JPEG, behind other segments', JPEG],
  ['WebP with more than a picture', EXTENDED],
  ['lossy WebP', LOSSY],
  ['lossless WebP', LOSSLESS],
])('the size of a %s is read from its first bytes', (_, bytes) => {
  expect(readPictureSize(dataUrl(bytes))).toEqual({ width: 800, height: 600 })
})

test.each([
  '',
  'data:image/png;base64,',
  'data:image/png;base64,!',
  'https://a.example/1.png',
  dataUrl(zeros(64)),
])('%j tells no size', text => expect(readPictureSize(text)).toBeNull())

test('any bytes give a valid size or none', () => {
  const starts = [PNG, GIF, JPEG, EXTENDED, LOSSY, LOSSLESS].map(bytes => fc.constant(bytes.slice(0, 16)))
  fc.assert(
    fc.property(fc.oneof(...starts), fc.array(fc.nat({ max: 255 }), { maxLength: 40 }), (start, rest) => {
      const size = readPictureSize(dataUrl([...start, ...rest]))
      expect(size === null || (size.width > 0 && size.height > 0)).toBe(true)
    }),
  )
})

test('a small file that would decode to a huge picture is not shown', () => {
  const png = (width: number, height: number) => {
    const bytes = Buffer.from(PNG)
    bytes.writeUInt32BE(width, 16)
    bytes.writeUInt32BE(height, 20)
    return dataUrl([...bytes])
  }
  for (const shown of [png(800, 600), png(8_192, 6_000), dataUrl(zeros(64))])
    expect(isShowable(shown)).toBe(true)
  for (const [width, height] of [
    [20_000, 20_000],
    [1_000_000, 100],
    [4_294_967_295, 1],
  ] as const)
    for (const url of [png(width, height), png(width, height).replace(',', ', \n ')])
      expect(isShowable(url)).toBe(false)
})
