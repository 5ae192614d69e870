import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import type { Conversation } from '../domain/conversation'
import { isStoredImageUrl } from '../images/stored-image'
import { conversationOf, createFakeBrowser } from '../testing'
import { deleteUnreferenced } from './delete-unreferenced'

const NOW = new Date('2026-11-20T12:00:00.000Z')

async function deletedOf(urls: string[], texts: Record<string, string>, archived: Conversation[] = []) {
  const browser = createFakeBrowser()
  for (const [key, text] of Object.entries(texts)) browser.area.setItem(key, text)
  const deleted: unknown[] = []
  let askedBefore = ''
  await deleteUnreferenced({
    isOurs: isStoredImageUrl,
    files: {
      urlsStoredBefore: async time => {
        askedBefore = time.toISOString()
        return urls
      },
      delete: async keys => {
        deleted.push(...keys)
      },
    },
    storage: browser.openTab().storage,
    drafts: '[["new",{"text":"","pictureUrls":["image-store:draft"]}]]',
    forEachArchived: async visit => {
      // As a database does, it answers later.
      await nextTurn()
      for (const conversation of archived) visit(conversation)
    },
    now: NOW,
  })
  expect(askedBefore).toBe('2026-11-19T12:00:00.000Z')
  return deleted
}

test('a picture that is still referenced is kept', async () => {
  const urls = [
    'image-store:list',
    'image-store:draft',
    'image-store:damaged',
    'image-store:archive',
    'image-store:none',
  ]
  const deleted = await deletedOf(
    urls,
    {
      conversationHistory: '[{"url":"image-store:list"}]',
      'conversationHistory.damaged.1': '{"url":"image-store:damaged',
    },
    [conversationOf('a', 'see image-store:archive')],
  )
  expect(deleted).toEqual(['image-store:none'])
})

test('a picture that another program stored is kept', async () => {
  expect(await deletedOf(['https://images.example/1.png'], {})).toEqual([])
})
