import 'fake-indexeddb/auto'
import { expect, test } from '@jest/globals'
import { openImageTable } from './image-store'
import { resolvePicture } from './pictures'

async function keep(url: string): Promise<void> {
  const image_url = { url, created_at: '2025-01-12' }
  await (await openImageTable()).save({ image_url, base64_json: 'iVBORw0K' })
}

test.each([
  'https://images.example/gone.png',
  'image-store:gone',
  'blob:https://a.example/1',
  'javascript:0',
])('there are no bytes for %s, and nothing is fetched', async url => {
  expect(await resolvePicture(url)).toBeNull()
})

test.each(['image-store:1', 'https://images.example/1.png', 'http://images.example/1.png'])(
  'the bytes that were kept for %s are found',
  async url => {
    await keep(url)
    expect(await resolvePicture(url)).toBe('data:image/png;base64,iVBORw0K')
  },
)
