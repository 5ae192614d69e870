import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, jest, test } from '@jest/globals'
import { browserClient, CookieJar, signIn } from '@/lib/auth/testing'
import { ApiError } from '@/lib/http/api-error'
import { processRateLimits } from '@/lib/http/rate-limits'
import { createSigningKey, signJwt } from '@/test/stand-ins/auth-server-keys'
import { totpCode } from '@/test/stand-ins/auth-server-totp'
import type { CreditLinks } from './credit-links'
import { errorOf, OWN_PAGE, RouteSite } from './testing'

const site = new RouteSite()
site.setUp()
const { putLinkedCredit, getLinkedCredit, deleteLinkedCredit } = await import('./linked-credit')

describe('the linked credit', () => {
  const known = randomUUID()
  let stored: Map<string, string>

  beforeEach(() => {
    stored = new Map()
  })

  const links: CreditLinks = {
    find: async userId => {
      const creditId = stored.get(userId)
      return creditId === undefined ? { outcome: 'none' } : { outcome: 'found', creditId }
    },
    link: async ({ userId, creditId, replaces }) => {
      const current = stored.get(userId)
      if (current !== undefined && current !== creditId && current !== replaces)
        return { outcome: 'conflict' }
      stored.set(userId, creditId)
      return { outcome: 'linked' }
    },
    unlink: async ({ userId, creditId }) => {
      const current = stored.get(userId)
      if (current !== undefined && creditId !== undefined && creditId !== current)
        return { outcome: 'conflict' }
      return { outcome: stored.delete(userId) ? 'unlinked' : 'none' }
    },
  }
  const services = { links, isKnownCredit: async (creditId: string) => creditId === known }

  const request = (method = 'GET', body?: unknown, headers: Record<string, string> = OWN_PAGE) =>
    new Request('http://site.test/api/account/credit', {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    })

  async function enrolTotp() {
    const auth = browserClient(site.server, site.jar)
    const { data } = await auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Phone' })
    if (!data) throw new Error('not enrolled')
    const code = totpCode(data.totp.secret, site.server.state.nowMs())
    await auth.mfa.challengeAndVerify({ factorId: data.id, code })
    return data
  }

  test('can be linked, shown on another device, and unlinked', async () => {
    await signIn(site.server, site.jar)
    expect(await (await getLinkedCredit(request(), services)).json()).toEqual({
      credit_id: null,
      state: 'none',
    })
    await putLinkedCredit(request('POST', { credit_id: known.toUpperCase() }), services)
    site.jar = new CookieJar()
    await signIn(site.server, site.jar)
    const shown = await getLinkedCredit(request(), services)
    expect(await shown.json()).toEqual({ credit_id: known, state: 'found' })
    expect(shown.headers.get('cache-control')).toContain('no-store')
    await deleteLinkedCredit(request('DELETE'), services)
    expect(stored.size).toBe(0)
  })

  test('is refused when signed out', async () => {
    for (const attempt of [getLinkedCredit, putLinkedCredit, deleteLinkedCredit]) {
      expect(await errorOf(attempt(request('POST', { credit_id: known }), services))).toMatchObject({
        code: 'invalid_credential',
      })
    }
  })

  test('is refused with an access token signed by an unknown key', async () => {
    const { user } = await signIn(site.server, site.jar)
    const claims = { iss: site.server.state.issuer, aud: 'authenticated', sub: user.id, exp: 9_999_999_999 }
    const session = {
      access_token: signJwt(createSigningKey('ES256'), claims),
      refresh_token: 'abcdefabcdef',
      expires_at: 9_999_999_999,
    }
    const value = `base64-${Buffer.from(JSON.stringify(session)).toString('base64url')}`
    site.jar.setAll([{ name: 'sb-127-auth-token', value }])
    expect(await errorOf(getLinkedCredit(request(), services))).toMatchObject({ code: 'invalid_credential' })
  })

  test('is refused with the reason why the session is invalid', async () => {
    const session = { ...(await signIn(site.server, site.jar)) }
    const reasonWith = async (changes: object) => {
      const value = `base64-${Buffer.from(JSON.stringify({ ...session, ...changes })).toString('base64url')}`
      site.jar.setAll([{ name: 'sb-127-auth-token', value }])
      return (await errorOf(getLinkedCredit(request(), services))).reason
    }
    const claims = { iss: site.server.state.issuer, aud: 'authenticated', sub: 'a', exp: 9_999_999_999 }
    const [key] = site.server.state.signingKeys
    const forged = signJwt(createSigningKey('ES256'), claims, { kid: key?.kid })
    expect(await reasonWith({ access_token: forged })).toBe('signature')
    expect(await reasonWith({ refresh_token: '' })).toBe('no_refresh_token')
    expect(await reasonWith({ expires_at: undefined })).toBe('incomplete_session')
    expect(await reasonWith({ access_token: undefined, refresh_token: undefined })).toBe('incomplete_session')
    site.server.state.sessions.clear()
    expect(await reasonWith({})).toBe('no_user')
    site.jar = new CookieJar()
    expect((await errorOf(getLinkedCredit(request(), services))).reason).toBe('no_session')
  })

  test('is refused to other sites, whatever body they send', async () => {
    await signIn(site.server, site.jar)
    const foreign = { host: 'site.test', origin: 'http://evil.example', 'content-type': 'text/plain' }
    for (const attempt of [getLinkedCredit, putLinkedCredit, deleteLinkedCredit]) {
      const sent = request('POST', { credit_id: known }, foreign)
      expect(await errorOf(attempt(sent, services))).toMatchObject({ code: 'forbidden' })
    }
    expect(stored.size).toBe(0)
  })

  test('is refused for a session that was ended elsewhere, although its token still verifies', async () => {
    await signIn(site.server, site.jar)
    site.server.state.sessions.clear()
    expect(await errorOf(getLinkedCredit(request(), services))).toMatchObject({ code: 'invalid_credential' })
  })

  test('is refused if the auth service answers with another person than the token names', async () => {
    const { user } = await signIn(site.server, site.jar)
    const other = site.server.state.createUser({ email: 'other@example.com', provider: 'email' })
    stored.set(other.id, known)
    site.server.state.users.set(user.id, other)
    for (const attempt of [getLinkedCredit, putLinkedCredit, deleteLinkedCredit]) {
      const sent = request('POST', { credit_id: known })
      expect(await errorOf(attempt(sent, services))).toEqual({
        code: 'invalid_credential',
        reason: 'no_user',
      })
    }
    expect(stored.get(other.id)).toBe(known)
  })

  test('is neither shown, replaced nor unlinked without the enrolled second factor', async () => {
    await signIn(site.server, site.jar)
    await enrolTotp()
    site.jar = new CookieJar()
    await signIn(site.server, site.jar)
    for (const attempt of [getLinkedCredit, putLinkedCredit, deleteLinkedCredit]) {
      const sent = request('POST', { credit_id: known })
      expect(await errorOf(attempt(sent, services))).toEqual({ code: 'forbidden', reason: 'second_factor' })
    }
  })

  test('is shown after verifying the second factor', async () => {
    await signIn(site.server, site.jar)
    await enrolTotp()
    expect((await getLinkedCredit(request(), services)).status).toBe(200)
    // Removed on another device, while this one's token still says that it was used.
    for (const user of site.server.state.users.values()) user.factors = []
    expect((await getLinkedCredit(request(), services)).status).toBe(200)
  })

  test('must be an existing credit', async () => {
    await signIn(site.server, site.jar)
    expect(
      await errorOf(putLinkedCredit(request('POST', { credit_id: randomUUID() }), services)),
    ).toMatchObject({
      code: 'unprocessable',
    })
    expect(await errorOf(putLinkedCredit(request('POST', { credit_id: 'x' }), services))).toMatchObject({
      code: 'invalid_request',
    })
  })

  test('is replaced only if the request names it', async () => {
    const { user } = await signIn(site.server, site.jar)
    const other = randomUUID()
    stored.set(user.id, other)
    expect(await errorOf(putLinkedCredit(request('POST', { credit_id: known }), services))).toMatchObject({
      code: 'conflict',
    })
    await putLinkedCredit(request('POST', { credit_id: known, replaces: other }), services)
    expect(stored.get(user.id)).toBe(known)
  })

  test('is unlinked only if the request names it, or none', async () => {
    const { user } = await signIn(site.server, site.jar)
    stored.set(user.id, known)
    for (const creditId of [randomUUID(), null]) {
      const stale = request('DELETE', { credit_id: creditId })
      expect(await errorOf(deleteLinkedCredit(stale, services))).toMatchObject({ code: 'conflict' })
    }
    expect(stored.get(user.id)).toBe(known)
    await deleteLinkedCredit(request('DELETE', { credit_id: known.toUpperCase() }), services)
    expect(stored.size).toBe(0)
  })

  test('is not found without an encryption key or without sign-in', async () => {
    await signIn(site.server, site.jar)
    expect(await errorOf(getLinkedCredit(request(), { ...services, links: null }))).toMatchObject({
      code: 'not_found',
    })
    site.settings = null
    expect(await errorOf(getLinkedCredit(request(), services))).toMatchObject({ code: 'not_found' })
  })

  test.each([503, 429, 540])('is unavailable when the auth service answers %p', async status => {
    await signIn(site.server, site.jar)
    site.server.faults.push({ path: '/user', status, count: 9 })
    expect(await errorOf(getLinkedCredit(request(), services))).toMatchObject({ code: 'upstream_timeout' })
  })

  test('is unavailable, and the session not called ended, while the keys to check it with cannot be fetched', async () => {
    await signIn(site.server, site.jar)
    site.server.faults.push({ path: '/.well-known/jwks.json', status: 503, count: 9 })
    expect(await errorOf(getLinkedCredit(request(), services))).toMatchObject({ code: 'upstream_timeout' })
  })

  test.each([
    ['valid', 3600],
    ['expired', -60],
  ])(
    'is unavailable, and a session that is %s neither called ended nor cleared, for an address that may not ask any more',
    async (_what, jwtExpSeconds) => {
      site.server.state.options.jwtExpSeconds = jwtExpSeconds
      await signIn(site.server, site.jar)
      const before = site.jar.session()
      processRateLimits().current = { take: () => Promise.reject(new ApiError('rate_limited', 'Too much.')) }
      const failure = await errorOf(getLinkedCredit(request(), services))
      processRateLimits().current = null
      expect(failure).toMatchObject({ code: 'upstream_timeout' })
      expect(site.jar.session()).toEqual(before)
    },
  )

  test('is refused to a person whom the operator has blocked', async () => {
    await signIn(site.server, site.jar)
    const asked = globalThis.fetch
    jest
      .spyOn(globalThis, 'fetch')
      .mockImplementation(async (input, init) =>
        String(input).endsWith('/user')
          ? Response.json({ error_code: 'user_banned', msg: 'User is banned' }, { status: 403 })
          : asked(input, init),
      )
    expect(await errorOf(getLinkedCredit(request(), services))).toMatchObject({ code: 'invalid_credential' })
  })
})
