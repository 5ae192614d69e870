import { expect } from '@jest/globals'
import { createConversationRepository } from './conversations/conversation-repository'
import { DATABASE_NAMES } from './database/database-names'
import { deleteDatabase } from './database/delete-database'
import type { Conversation, Message } from './domain/conversation'
import { allMessages, pathTo } from './domain/turns'
import { createGuardedStorage, type GuardedStorage } from './storage/guarded-storage'
import { createMemoryArea, type StorageArea } from './storage/storage-area'
import { STORAGE_BYTES_MAX } from './storage/storage-limits'

type Listener = Parameters<GuardedStorage['subscribe']>[0]

export interface FakeTab {
  storage: GuardedStorage
  /** How often the storage-full warning was opened. */
  fullCount(): number
}

/**
 * One origin's local storage, with a quota and with the events that tabs get of each other's writes. With `isLagging`,
 * a tab sees other tabs' writes only when it gets their events, as in browsers with many processes.
 */
export function createFakeBrowser(quota = STORAGE_BYTES_MAX, { isLagging = false } = {}) {
  const area = createMemoryArea()
  const tabs: { listeners: Listener[]; outdated: Map<string, string | null> }[] = []
  /** Events reach other tabs later, in order; `deliver` lets them arrive. */
  const waiting: { from: number; key: string | null; text: string | null }[] = []

  function areaOf(tab: number): StorageArea {
    const changed = (key: string | null, before: string | null = null) => {
      waiting.push({ from: tab, key, text: key === null ? null : area.getItem(key) })
      if (!isLagging || key === null) return
      tabs.forEach(({ outdated }, other) => {
        if (other === tab) outdated.delete(key)
        else if (!outdated.has(key)) outdated.set(key, before)
      })
    }
    return {
      get length() {
        return area.length
      },
      key: area.key,
      getItem(key) {
        const outdated = tabs[tab]?.outdated.get(key)
        return outdated === undefined ? area.getItem(key) : outdated
      },
      setItem(key, text) {
        const before = area.getItem(key)
        const growth = text.length - (before === null ? -key.length : before.length)
        if (growth > 0 && usedSize(area) + growth > quota) {
          throw new DOMException('The quota has been exceeded.', 'QuotaExceededError')
        }
        area.setItem(key, text)
        if (before !== text) changed(key, before)
      },
      removeItem(key) {
        const before = area.getItem(key)
        if (before === null) return
        area.removeItem(key)
        changed(key, before)
      },
      clear() {
        area.clear()
        changed(null)
      },
    }
  }

  return {
    area,
    openTab(): FakeTab {
      const listeners: Listener[] = []
      const tab = tabs.push({ listeners, outdated: new Map() }) - 1
      let fullCount = 0
      const listen: GuardedStorage['subscribe'] = listener => {
        listeners.push(listener)
        return () => {
          listeners.splice(listeners.indexOf(listener), 1)
        }
      }
      const storage = createGuardedStorage(
        () => areaOf(tab),
        listen,
        () => {
          fullCount += 1
        },
      )
      return { storage, fullCount: () => fullCount }
    },
    deliver() {
      for (const { outdated } of tabs) outdated.clear()
      for (const { from, key, text } of waiting.splice(0)) {
        tabs.forEach(({ listeners }, tab) => {
          if (tab !== from) for (const listener of listeners) listener(key, text)
        })
      }
    },
  }
}

export function usedSize(area: StorageArea): number {
  let size = 0
  for (let index = 0; index < area.length; index += 1) {
    const key = area.key(index)
    if (key !== null) size += key.length + (area.getItem(key)?.length ?? 0)
  }
  return size
}

/** A tab's conversations, whose reviews under the lock wait in `reviews` until the test runs them. */
export function openConversations(tab: FakeTab, now: () => Date) {
  const reviews: (() => void)[] = []
  const overflowed: Conversation[] = []
  const repository = createConversationRepository({
    storage: tab.storage,
    now,
    runExclusively: task => reviews.push(task),
    onOverflow: conversation => overflowed.push(conversation),
  })
  tab.storage.subscribe(repository.onOtherTab)
  return { repository, overflowed, review: () => runAll(reviews.splice(0)) }
}

function runAll(tasks: (() => void)[]): void {
  for (const task of tasks) task()
}

/** A clock that advances by a millisecond every time it is read. */
export function createTestClock(start = '2026-11-20T12:00:00.000Z') {
  let nowMs = Date.parse(start)
  return () => {
    nowMs += 1
    return new Date(nowMs)
  }
}

export function conversationOf(id: string, ...texts: string[]): Conversation {
  return {
    id,
    created_at: '2026-11-01T00:00:00.000Z',
    messages: texts.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
  }
}

/** For tests that run on fake-indexeddb. Deleting closes open connections. */
export async function deleteDatabases(): Promise<void> {
  await Promise.all(DATABASE_NAMES.map(deleteDatabase))
}

export const EMPTY_CONVERSATION: Conversation = {
  id: 'c',
  created_at: '2026-11-01T00:00:00.000Z',
  messages: [],
}

export const idsOf = (messages: readonly Message[]) => messages.map(({ id }) => id ?? '')

/** Every message once, each reachable from the beginning, and the shown path complete. */
export function expectTree(conversation: Conversation): void {
  const ids = idsOf(allMessages(conversation))
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) {
    const path = pathTo(conversation, id)
    expect(path.at(-1)?.id).toBe(id)
    expect(path[0]?.parent ?? null).toBeNull()
  }
  const last = conversation.messages.at(-1)?.id ?? null
  expect(conversation.branches?.filter(({ parent }) => parent === last) ?? []).toEqual([])
}
