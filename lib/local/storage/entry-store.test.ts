/** @jest-environment jsdom */
import { expect, test } from '@jest/globals'
import { createEntryStore } from './entry-store'
import { createGuardedStorage } from './guarded-storage'
import { createMemoryArea } from './storage-area'

test.each([
  ['is shown again after the browser froze it', true, 1],
  ['is shown for the first time', false, 0],
])('a page that %s reads what other tabs may have written', (_, persisted, count) => {
  const area = createMemoryArea()
  const storage = createGuardedStorage(
    () => area,
    () => () => undefined,
    () => undefined,
  )
  const store = createEntryStore(storage, 'key', text => text)
  store.write('text')
  let notifiedCount = 0
  store.subscribe(() => {
    notifiedCount += 1
  })
  area.removeItem('key')
  window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }))
  expect(notifiedCount).toBe(count)
  expect(store.getSnapshot()).toBeNull()
})
