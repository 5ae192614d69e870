import 'fake-indexeddb/auto'
import { expect, test } from '@jest/globals'
import { openImageTable } from './image-store'
import { keepPicture, pictureSizeOf, resolvePicture } from './pictures'

async function keep(url: string): Promise<void> {
  const image_url = { url, created_at: '2025-01-12' }
  await (await openImageTable()).save({ image_url, base64_json: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB' })
}

test.each([
  'https://images.example/gone.png',
  'image-store:gone',
  'blob:https://a.example/1',
  'javascript:0',
])('%s has no bytes, and nothing is fetched', async url => {
  expect(await resolvePicture(url)).toBeNull()
})

test.each(['image-store:1', 'https://images.example/1.png', 'http://images.example/1.png'])(
  'the stored bytes of %s are found',
  async url => {
    await keep(url)
    expect(await resolvePicture(url)).toBe('data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB')
  },
)

test('the URL of a stored picture has its size, and one without a size still works', async () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452000003200000025808', 'hex').toString('base64')
  const dataUrl = `data:image/png;base64,${png}`
  const url = await keepPicture(dataUrl, '2026-11-20T00:00:00.000Z')
  expect(pictureSizeOf(url)).toEqual({ width: 800, height: 600 })
  expect(await resolvePicture(url)).toBe(dataUrl)
  expect(pictureSizeOf(dataUrl)).toEqual({ width: 800, height: 600 })
  const unread = await keepPicture('data:image/png;base64,AAAA', '2026-11-20T00:00:00.000Z')
  expect(pictureSizeOf(unread)).toBeNull()
  expect(await resolvePicture(unread)).toBe('data:image/png;base64,AAAA')
})
