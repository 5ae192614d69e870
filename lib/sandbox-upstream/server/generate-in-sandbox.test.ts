import { inflateSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { drawCoin } from './draw-coin'
import { generateInSandbox } from './generate-in-sandbox'
import { encodeWav, speakInSandbox } from './speak-in-sandbox'

const post = (body: unknown) =>
  new Request('http://site.test/', { method: 'POST', body: JSON.stringify(body) })

test.each([[{}], [{ prompt: 5 }], [{ prompt: 'x', n: 11 }]])(
  'the image request %j is refused',
  async body => {
    await expect(generateInSandbox(post(body))).rejects.toMatchObject({ status: 400 })
  },
)

test('the requested number of different pictures is drawn', async () => {
  const { data } = await (await generateInSandbox(post({ prompt: 'A coin', n: 2 }))).json()
  expect(new Set(data.map((image: { b64_json: string }) => image.b64_json)).size).toBe(2)
})

test('a picture is a PNG of the requested size, the same for the same prompt', () => {
  const png = drawCoin('A coin', 0)
  expect(png).toEqual(drawCoin('A coin', 0))
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([256, 256])
  const dataLength = png.readUInt32BE(33)
  expect(png.toString('latin1', 37, 41)).toBe('IDAT')
  expect(inflateSync(png.subarray(41, 41 + dataLength))).toHaveLength(256 * (256 * 3 + 1))
})

test.each([[{}], [{ input: '' }], [{ input: 'x'.repeat(4_097) }]])(
  'the speech request %j is refused',
  async body => {
    await expect(speakInSandbox(post(body))).rejects.toMatchObject({ status: 400 })
  },
)

test('speech is a WAV file whose length grows with its text, up to a limit', async () => {
  const bytesOf = async (input: string) =>
    (await (await speakInSandbox(post({ input }))).arrayBuffer()).byteLength
  const one = await bytesOf('one')
  expect(await bytesOf('one two')).toBe(one * 2 - 44)
  expect(await bytesOf('word '.repeat(800))).toBe((one - 44) * 72 + 44)
})

test('samples are clamped to 16 bits', () => {
  const wav = encodeWav(Float32Array.from([0, 1, -1, 5]), 8_000)
  expect(wav.toString('latin1', 0, 4)).toBe('RIFF')
  expect([0, 1, 2, 3].map(index => wav.readInt16LE(44 + index * 2))).toEqual([0, 32_767, -32_767, 32_767])
})
