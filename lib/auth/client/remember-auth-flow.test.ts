/** @jest-environment jsdom */
import { expect, test } from '@jest/globals'
import { authResult } from './auth-result'
import { rememberAuthFlow } from './remember-auth-flow'

test.each([
  [403, { error: { reason: 'host_rewritten' } }, 'hostRewritten'],
  [403, { error: {} }, 'unreachable'],
  [502, null, 'unreachable'],
])('a sign-in that cannot begin reports the actual cause: %p %j', async (status, body, key) => {
  globalThis.fetch = async () =>
    Object.assign(Object.create(null), { ok: false, status, json: async () => body })
  const begun = rememberAuthFlow({ email: null }).then(() => ({ data: {}, error: null }))
  expect(await authResult(begun)).toEqual({ data: null, error: key })
})
