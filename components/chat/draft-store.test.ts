/** @jest-environment jsdom */
import 'fake-indexeddb/auto'
import { beforeEach, describe, expect, jest, test } from '@jest/globals'
import { imageStore } from '@/lib/local/images/image-store'
import { startImageCleanUp } from '@/lib/local/start-clean-up'
import type { Draft } from './draft-store'

// jsdom lacks it, and fake-indexeddb copies with it.
Reflect.set(globalThis, 'structuredClone', (value: unknown) => JSON.parse(JSON.stringify(value)))

type DraftStore = typeof import('./draft-store').draftStore

async function load(): Promise<DraftStore> {
  jest.resetModules()
  return (await import('./draft-store')).draftStore
}

beforeEach(() => {
  sessionStorage.clear()
  localStorage.clear()
})

describe('drafts', () => {
  test.each(['{', '7', '[1]', '[["a",{"text":1}]]'])(
    'stored as damaged text (%s) read as empty',
    async text => {
      sessionStorage.setItem('drafts', text)
      expect((await load()).get('a')).toEqual({ text: '', pictureUrls: [], documents: [] })
    },
  )

  test('survive a reload, each for its own conversation', async () => {
    const store = await load()
    store.set('a', { text: 'for a', pictureUrls: [], documents: [] })
    store.set('b', { text: '', pictureUrls: ['image-store:1'], documents: [] })
    const reloaded = await load()
    expect(reloaded.get('a').text).toBe('for a')
    expect(reloaded.get('b').pictureUrls).toEqual(['image-store:1'])
    expect(reloaded.get('c').text).toBe('')
  })

  test('of an earlier version have no documents, and damaged documents are left out', async () => {
    const stored = [
      ['old', { text: 'kept', pictureUrls: [] }],
      ['odd', { text: 'kept', pictureUrls: [], documents: [{ url: 7 }] }],
    ]
    sessionStorage.setItem('drafts', JSON.stringify(stored))
    const store = await load()
    expect(store.get('old')).toEqual({ text: 'kept', pictureUrls: [], documents: [] })
    expect(store.get('odd').documents).toEqual([])
  })

  test('an emptied draft is removed, and the oldest drafts are dropped when there are too many', async () => {
    const store = await load()
    store.set('sent', { text: 'x', pictureUrls: [], documents: [] })
    store.set('sent', { text: '', pictureUrls: [], documents: [] })
    for (let number = 0; number < 60; number += 1)
      store.set(`${number}`, { text: 'x', pictureUrls: [], documents: [] })
    const reloaded = await load()
    expect(reloaded.get('sent').text).toBe('')
    expect(reloaded.get('0').text).toBe('')
    expect(reloaded.get('59').text).toBe('x')
  })
})

describe('the clean-up of another tab', () => {
  const attached: Draft = { text: '', pictureUrls: ['image-store:attached'], documents: [] }

  async function leftAfterCleanUp(attachedAt: string, change: (store: DraftStore) => void) {
    jest.useFakeTimers({
      now: new Date(attachedAt),
      doNotFake: ['setTimeout', 'setImmediate', 'queueMicrotask'],
    })
    await imageStore.save('attached', 'bytes', new Date())
    change(await load())
    // A tab's session storage is its own.
    sessionStorage.clear()
    jest.setSystemTime(new Date('2026-11-20T12:00:00.000Z'))
    await startImageCleanUp()
    jest.useRealTimers()
    return (await (await imageStore.table())?.entries())?.length
  }

  test('keeps what is attached to an unsent message', async () => {
    const left = await leftAfterCleanUp('2026-11-10T12:00:00.000Z', store => store.set('a', attached))
    expect(left).toBe(1)
  })

  test('deletes what was taken off it again', async () => {
    const left = await leftAfterCleanUp('2026-11-10T12:00:00.000Z', store => {
      store.set('a', attached)
      store.set('a', { ...attached, pictureUrls: [] })
    })
    expect(left).toBe(0)
  })

  test('deletes what was attached so long ago that nobody comes back to it', async () => {
    const left = await leftAfterCleanUp('2026-10-10T12:00:00.000Z', store => store.set('a', attached))
    expect(left).toBe(0)
  })
})
