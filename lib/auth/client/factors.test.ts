import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { CookieJar, signIn } from '@/lib/auth/testing'
import { totpCode } from '@/test/stand-ins/auth-server-totp'
import {
  challengeFactor,
  checkSecondFactor,
  enrolPhone,
  enrolTotp,
  enrolWebauthn,
  removeFactor,
  verifyFactorCode,
} from './factors'
import type { SessionStore } from './session-store'
import { TestBrowser } from './testing'

const browser = new TestBrowser()

beforeEach(() => browser.start())

afterEach(() => browser.stop())

describe('a second factor', () => {
  async function enrol(store: SessionStore, friendlyName = 'Phone') {
    const enrolment = await enrolTotp(store, { friendlyName, issuer: 'Tuppence' })
    if (enrolment.error !== null) throw new Error(enrolment.error)
    return enrolment.data
  }

  async function verify(store: SessionStore, factorId: string, code: string) {
    const challenge = await challengeFactor(store, { id: factorId })
    if (challenge.error !== null) throw new Error(challenge.error)
    return verifyFactorCode(store, { factorId, challengeId: challenge.data.challengeId, code })
  }

  test('can be enrolled, verified, required in the next session, and removed', async () => {
    await signIn(browser.server, browser.jar)
    const store = browser.openTab({ status: 'unknown' })
    expect((await checkSecondFactor(store)).error).toBeNull()
    const { factorId, secret, uri } = await enrol(store)
    expect(uri).toContain(secret)
    expect(await verify(store, factorId, '000000')).toEqual({ data: null, error: 'codeWrong' })
    expect((await verify(store, factorId, totpCode(secret, Date.now()))).error).toBeNull()
    expect(store.getSnapshot().user?.factors).toEqual([
      { id: factorId, factorType: 'totp', friendlyName: 'Phone', status: 'verified' },
    ])
    expect((await checkSecondFactor(store)).error).toBeNull()

    const otherJar = new CookieJar()
    await signIn(browser.server, otherJar)
    const other = browser.openTab({ status: 'unknown' }, { jar: otherJar })
    await browser.settle()
    expect((await checkSecondFactor(other)).error).toBe('secondFactorNeeded')
    expect((await removeFactor(other, factorId)).error).toBe('secondFactorNeeded')
    expect((await enrolTotp(other, { friendlyName: 'Second', issuer: 'Tuppence' })).error).toBe(
      'secondFactorNeeded',
    )
    expect((await verify(other, factorId, totpCode(secret, Date.now()))).error).toBeNull()
    expect((await removeFactor(other, factorId)).error).toBeNull()
    expect(other.getSnapshot().user?.factors).toEqual([])
  })

  test('needs a unique name', async () => {
    await signIn(browser.server, browser.jar)
    const store = browser.openTab({ status: 'unknown' })
    await enrol(store)
    expect((await enrolTotp(store, { friendlyName: 'Phone', issuer: 'Tuppence' })).error).toBe(
      'factorNameTaken',
    )
  })

  test('that is a security key is gone again if the browser’s question is cancelled', async () => {
    await signIn(browser.server, browser.jar)
    const store = browser.openTab({ status: 'unknown' })
    await browser.settle()
    const cancel = async () =>
      Promise.reject(Object.assign(new Error('Not now.'), { name: 'NotAllowedError' }))
    const credentials = { create: cancel, get: cancel }
    const page = {
      location: { hostname: 'localhost', origin: 'http://localhost' },
      PublicKeyCredential: class {},
    }
    const stubs = { window: page, document: {}, navigator: { credentials } }
    const own = Object.entries(stubs).map(
      ([name, value]) => [name, Object.getOwnPropertyDescriptor(globalThis, name), value] as const,
    )
    for (const [name, , value] of own) Object.defineProperty(globalThis, name, { value, configurable: true })
    const result = await enrolWebauthn(store, { friendlyName: 'Key' })
    for (const [name, descriptor] of own) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor)
      else Reflect.deleteProperty(globalThis, name)
    }
    expect(result).toEqual({ data: null, error: 'cancelled' })
    expect(browser.server.callsTo('/factors')).not.toEqual([])
    expect([...browser.server.state.users.values()].flatMap(({ factors }) => factors)).toEqual([])
    expect(store.getSnapshot().user?.factors).toEqual([])
  })

  test.each(['079 123 45 67', '+0791234567', 'my phone', '', '+123456789012345678'])(
    'cannot be the phone number %j, and nobody is asked',
    async phone => {
      const store = browser.openTab({ status: 'signed-out' })
      expect(await enrolPhone(store, { friendlyName: 'Phone', phone })).toEqual({
        data: null,
        error: 'phoneInvalid',
      })
      expect(browser.server.calls).toEqual([])
    },
  )

  test.each(['+41 79 123 45 67', '0041 (79) 123-45-67', '41.79.123/45/67'])(
    'can be the phone number %j',
    async phone => {
      await signIn(browser.server, browser.jar)
      const store = browser.openTab({ status: 'unknown' })
      expect((await enrolPhone(store, { friendlyName: 'Phone', phone })).error).toBeNull()
      const [user] = browser.server.state.users.values()
      expect(user?.factors.map(factor => factor.phone)).toEqual(['41791234567'])
    },
  )

  test('with an expired challenge is refused with that error', async () => {
    await signIn(browser.server, browser.jar)
    const store = browser.openTab({ status: 'unknown' })
    const { factorId, secret } = await enrol(store)
    const challenge = await challengeFactor(store, { id: factorId })
    jest.setSystemTime(Date.now() + 301_000)
    const code = totpCode(secret, Date.now())
    const result = await verifyFactorCode(store, {
      factorId,
      challengeId: challenge.data?.challengeId ?? '',
      code,
    })
    expect(result).toEqual({ data: null, error: 'challengeExpired' })
  })
})
