import { createHash } from 'node:crypto'
import { afterEach, expect, test } from '@jest/globals'
import { createResumeKey, nameOfResumeKey } from './resume-keys'

const realCrypto = globalThis.crypto
afterEach(() => {
  Object.defineProperty(globalThis, 'crypto', { value: realCrypto, configurable: true })
})

test('a resume key is 32 random bytes in the form that the server accepts', () => {
  expect(createResumeKey()).toMatch(/^[A-Za-z0-9_-]{43}$/)
  expect(createResumeKey()).not.toBe(createResumeKey())
})

test.each(['in a secure page', 'in one over plain HTTP, where the browser hashes nothing'])(
  'the name of an exchange is the hash of its key, %s',
  async place => {
    if (place !== 'in a secure page') {
      Object.defineProperty(globalThis, 'crypto', { value: {}, configurable: true })
    }
    const hash = createHash('sha256').update('key').digest('hex')
    expect(await nameOfResumeKey('key')).toBe(`resume-${hash}`)
  },
)
