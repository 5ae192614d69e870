/** @jest-environment jsdom */
import { beforeEach, describe, expect, jest, test } from '@jest/globals'

async function load() {
  jest.resetModules()
  return (await import('./draft-store')).draftStore
}

beforeEach(() => {
  sessionStorage.clear()
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
