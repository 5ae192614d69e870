import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { startAuthServer } from '@/test/stand-ins/auth-server'
import { checkSigningKeys } from './setup-problems'

let written: string[]

beforeEach(() => {
  written = []
  jest.spyOn(process.stderr, 'write').mockImplementation(text => {
    if (String(text).startsWith('Sign-in: ')) written.push(String(text))
    return true
  })
})

afterEach(() => {
  jest.restoreAllMocks()
})

test.each([
  ['HS256', [expect.stringMatching(/^Sign-in: 127\.0\.0\.1:\d+ signs sessions by a shared secret .*ES256/)]],
  ['ES256', []],
  ['RS256', []],
] as const)(
  'at the start the operator of a service that signs by %s is told what to change',
  async (algorithm, lines) => {
    const service = await startAuthServer({ algorithm })
    await checkSigningKeys({ url: service.url, publicKey: 'key' })
    await service.stop()
    expect(written).toEqual(lines)
  },
)

test.each([500, 404, 'cut'] as const)('a service that answers %p says nothing of its keys', async status => {
  const service = await startAuthServer({ algorithm: 'HS256' })
  service.server.faults.push({ path: '/.well-known/jwks.json', status, count: 1 })
  await checkSigningKeys({ url: service.url, publicKey: 'key' })
  await service.stop()
  expect(written).toEqual([])
})
