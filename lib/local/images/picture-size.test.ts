import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isShowable, readPictureSize } from './picture-size'

const dataUrl = (bytes: readonly number[]) => `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`
const ascii = (text: string) => [...Buffer.from(text)]
const zeros = (count: number) => Array.from({ length: count }, () => 0)

const PNG = [0x89, ...ascii('PNG'), ...zeros(12), 0, 0, 3, 0x20, 0, 0, 2, 0x58]
const FIRST_FRAME = [0x2c, 0, 0, 0, 0, 0x20, 3, 0x58, 2, 0]
const GIF = [
  ...ascii('GIF89a'),
  0x20,
  3,
  0x58,
  2,
  0x80,
  0,
  0,
  ...zeros(6),
  0x21,
  0xf9,
  1,
  0,
  0,
  ...FIRST_FRAME,
]
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
  ['GIF whose screen is smaller', [...GIF.slice(0, 6), 1, 0, 1, 0, ...GIF.slice(10)]],
  ['JPEG with a padded mark', [0xff, 0xd8, 0xff, ...FRAME]],
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

const svg = (content: string) =>
  `data:image/svg+xml;base64,${Buffer.from(`<?xml version="1.0"?><!-- art --><svg xmlns="http://www.w3.org/2000/svg">${content}</svg>`).toString('base64')}`

test.each([
  ['BMP', [...ascii('BM'), ...zeros(60)]],
  ['icon', [0, 0, 1, 0, ...zeros(60)]],
  ['AVIF', [...zeros(4), ...ascii('ftypavif'), ...zeros(60)]],
  ['TIFF', [...ascii('II*'), ...zeros(60)]],
  ['GIF without a frame', GIF.slice(0, 20)],
  ['JPEG whose size hides behind a mark without a segment', [0xff, 0xd8, 0xff, 1, 0xff, ...FRAME]],
  ['WebP of no known kind', webp('ICCP', zeros(40))],
])('a %s is not shown, since its size cannot be read', (_, bytes) => {
  expect(isShowable(dataUrl(bytes))).toBe(false)
})

test.each(['data:image/png;BASE64,Qk0=', 'data:image/png,BM;base64,AAAA', 'data:image/png;base64,%51k0='])(
  'the picture %j, whose bytes only browsers can read, is not shown',
  url => expect(isShowable(url)).toBe(false),
)

test('a drawing is shown if it draws each of its elements once', () => {
  expect(isShowable(svg('<g fill="red"><path d="M0 0h1"/></g>'))).toBe(true)
  for (const content of ['<use href="#a"/>', '<s:use/>', '<pattern/>', '<mask/>', '<image/>', '<filter/>'])
    expect(isShowable(svg(content))).toBe(false)
  const declared = Buffer.from('<!DOCTYPE svg [<!ENTITY a "aa">]><svg>&a;</svg>')
  const wide = Buffer.from('\ufeff<svg><use/></svg>', 'utf16le')
  for (const bytes of [declared, wide])
    expect(isShowable(`data:image/svg+xml;base64,${bytes.toString('base64')}`)).toBe(false)
})
