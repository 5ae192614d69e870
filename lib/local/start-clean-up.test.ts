/** @jest-environment jsdom */
import 'fake-indexeddb/auto'
import { expect, test } from '@jest/globals'
import { imageStore } from './images/image-store'
import { startImageCleanUp } from './start-clean-up'

// jsdom lacks it, and fake-indexeddb copies with it.
Reflect.set(globalThis, 'structuredClone', (value: unknown) => JSON.parse(JSON.stringify(value)))

test('a picture stays as long as it is attached to an unsent message of this tab', async () => {
  const attachedAt = new Date('2026-11-01T12:00:00.000Z')
  const url = await imageStore.save('attached', 'bytes', attachedAt)
  await imageStore.save('of a deleted chat', 'bytes', attachedAt)
  sessionStorage.setItem('drafts', JSON.stringify([['new', { text: '', pictureUrls: [url], documents: [] }]]))
  await startImageCleanUp()
  expect((await (await imageStore.table())?.entries())?.map(entry => entry.url)).toEqual([url])
})
