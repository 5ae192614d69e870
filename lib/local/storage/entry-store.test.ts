/** @jest-environment jsdom */
import { expect, test } from '@jest/globals'
import { createEntryStore } from './entry-store'
import { createGuardedStorage, type GuardedStorage } from './guarded-storage'
import { createMemoryArea } from './storage-area'

/** A store of one entry, how often it has notified, and how another tab reports what it changed. */
function openStore() {
  const area = createMemoryArea()
  let report: Parameters<GuardedStorage['subscribe']>[0] = () => undefined
  const storage = createGuardedStorage(
    () => area,
    listener => {
      report = listener
      return () => undefined
    },
    () => undefined,
  )
  const store = createEntryStore(storage, 'key', text => text)
  store.write('text')
  let notifiedCount = 0
  store.subscribe(() => {
    notifiedCount += 1
  })
  area.clear()
  return { store, report, notifiedCount: () => notifiedCount }
}

test.each([
  ['is shown again after the browser froze it', true, 1],
  ['is shown for the first time', false, 0],
])('a page that %s reads what other tabs may have written', (_, persisted, count) => {
  const { store, notifiedCount } = openStore()
  window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }))
  expect(notifiedCount()).toBe(count)
  expect(store.getSnapshot()).toBeNull()
})

test.each([
  ['removes the entry', 'key', 1],
  ['clears everything', null, 1],
  ['removes another', 'other', 0],
])('a page is told when another tab %s', (_, key, count) => {
  const { report, notifiedCount } = openStore()
  report(key, null)
  expect(notifiedCount()).toBe(count)
})
