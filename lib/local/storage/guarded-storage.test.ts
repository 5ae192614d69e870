import { expect, test } from '@jest/globals'
import { createGuardedStorage } from './guarded-storage'
import { isQuotaExceeded } from './is-quota-exceeded'
import { createMemoryArea } from './storage-area'

function storageThatThrows(error: unknown) {
  let fullCount = 0
  const area = {
    ...createMemoryArea(),
    setItem() {
      throw error
    },
  }
  const storage = createGuardedStorage(
    () => area,
    () => () => undefined,
    () => {
      fullCount += 1
    },
  )
  return { storage, fullCount: () => fullCount }
}

test.each([
  ['Chromium and Safari', new DOMException('full', 'QuotaExceededError')],
  ['Firefox', Object.assign(new Error('full'), { name: 'NS_ERROR_DOM_QUOTA_REACHED', code: 1014 })],
  ['old WebKit', Object.assign(new Error('full'), { name: 'QUOTA_EXCEEDED_ERR', code: 22 })],
  ['Dexie', Object.assign(new Error('full'), { name: 'AbortError', inner: { name: 'QuotaExceededError' } })],
])('a full disk as %s report it makes the write return false and opens the warning', (_, error) => {
  const { storage, fullCount } = storageThatThrows(error)
  expect(storage.write('key', 'text')).toBe(false)
  expect(fullCount()).toBe(1)
})

test.each([new DOMException('denied', 'SecurityError'), new TypeError('broken'), 'text'])(
  'any other error is rethrown: %s',
  error => {
    const { storage, fullCount } = storageThatThrows(error)
    expect(() => storage.write('key', 'text')).toThrow()
    expect(fullCount()).toBe(0)
  },
)

test.each([null, undefined, 22, {}, { code: 21 }])('%j does not mean a full disk', value => {
  expect(isQuotaExceeded(value)).toBe(false)
})
