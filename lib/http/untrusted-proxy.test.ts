import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { listenToLog } from '@/test/support/log-lines'

let log: ReturnType<typeof listenToLog>
let note: typeof import('./untrusted-proxy').noteUntrustedProxy
beforeEach(async () => {
  log = listenToLog()
  jest.resetModules()
  // As in another process.
  for (const key of Object.getOwnPropertySymbols(globalThis))
    if (key.description?.includes('untrusted-proxy')) Reflect.deleteProperty(globalThis, key)
  note = (await import('./untrusted-proxy')).noteUntrustedProxy
})
afterEach(() => log.stop())

test.each(['127.0.0.1', '::1', '::ffff:172.18.0.2', '10.1.2.3', 'fd00::1'])(
  'a proxy at %s that nobody trusts is told of once',
  address => {
    note(address)
    note(address)
    expect(log.lines()).toEqual([
      expect.objectContaining({
        level: 'warn',
        message: expect.stringContaining('TRUSTED_PROXY_COUNT is 0'),
      }),
    ])
  },
)

test.each(['203.0.113.9', '::ffff:203.0.113.9', '2001:db8::1', 'unknown'])(
  'a visitor at %s who makes up the header is not',
  address => {
    note(address)
    expect(log.lines()).toEqual([])
  },
)
