import { createHmac, sign } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { AuthServer } from '@/test/stand-ins/auth-server'
import { createSigningKey, publicJwk, signJwt } from '@/test/stand-ins/auth-server-keys'
import { KeySet, KeySetUnavailableError } from './key-set'
import { verifyToken } from './verify-token'

const NOW_MS = Date.parse('2026-11-20T12:00:00Z')
const NOW = NOW_MS / 1000

/** Only the date is frozen. */
const OTHER_TIMERS = ['nextTick', 'queueMicrotask', 'setImmediate', 'setTimeout', 'clearTimeout'] as const

let server: AuthServer
let keySet: KeySet

beforeEach(() => {
  jest.useFakeTimers({ now: NOW_MS, doNotFake: [...OTHER_TIMERS] })
  server = new AuthServer()
  keySet = new KeySet(server.state.issuer, server.fetch)
})

afterEach(() => {
  jest.useRealTimers()
})

function claims(changes: object = {}) {
  return {
    iss: server.state.issuer,
    aud: 'authenticated',
    sub: 'user-1',
    exp: NOW + 60,
    aal: 'aal1',
    ...changes,
  }
}

function serverKey() {
  const [key] = server.state.signingKeys
  if (!key) throw new Error('the stand-in has no key')
  return key
}

function unsigned(header: object, payload: object, signature = ''): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${encode(header)}.${encode(payload)}.${signature}`
}

function keySetThatSays(set: object): KeySet {
  return new KeySet(server.state.issuer, async () => Response.json(set))
}

function passTime(milliseconds: number): void {
  jest.setSystemTime(Date.now() + milliseconds)
}

function keyFetchCount(): number {
  return server.callsTo('/.well-known/jwks.json').length
}

describe('a token is refused', () => {
  test.each([
    ['empty', ''],
    ['of two parts', 'a.b'],
    ['of four parts', 'a.b.c.d'],
    ['not base64', '***.***.***'],
    ['not JSON', `${Buffer.from('{').toString('base64url')}.e30.e30`],
    ['too long', unsigned({ alg: 'ES256', kid: 'any' }, { padding: 'a'.repeat(50_000) }, 'c2ln')],
  ])('when it is %s', async (_, token) => {
    await expect(verifyToken(token, keySet)).rejects.toThrow('Invalid JWT structure')
    expect(keyFetchCount()).toBe(0)
  })

  test.each(['none', 'None', 'HS256', 'HS512', 'PS256', 'ES384', 'RS512', 'EdDSA', '', 5, null])(
    'with algorithm %p, without a request',
    async alg => {
      const token = unsigned({ alg, kid: serverKey().kid, typ: 'JWT' }, claims(), 'c2ln')
      await expect(verifyToken(token, keySet)).rejects.toThrow('Invalid alg claim')
      expect(server.calls).toEqual([])
    },
  )

  test('signed by HS256 with the public key as the secret', async () => {
    const secret = serverKey().publicKey.export({ type: 'spki', format: 'pem' })
    const input = unsigned({ alg: 'HS256', kid: serverKey().kid }, claims()).slice(0, -1)
    const token = `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
    await expect(verifyToken(token, keySet)).rejects.toThrow('Invalid alg claim')
  })

  test('signed by another key that claims the same id', async () => {
    const forged = { ...createSigningKey('ES256'), kid: serverKey().kid }
    await expect(verifyToken(signJwt(forged, claims()), keySet)).rejects.toThrow('Invalid JWT signature')
  })

  test('signed by an RSA key under the id of an elliptic one', async () => {
    const forged = { ...createSigningKey('RS256'), kid: serverKey().kid }
    await expect(verifyToken(signJwt(forged, claims()), keySet)).rejects.toThrow('Invalid JWT signature')
  })

  test('containing its own key or a key URL', async () => {
    const forged = createSigningKey('ES256')
    const token = signJwt(forged, claims(), {
      kid: serverKey().kid,
      jwk: publicJwk(forged),
      jku: 'https://evil.example/keys',
    })
    await expect(verifyToken(token, keySet)).rejects.toThrow('Invalid JWT signature')
    expect(server.calls.map(call => call.path)).toEqual(['/.well-known/jwks.json'])
  })

  test.each([
    { kid: 'unheard-of' },
    { kid: '' },
    { kid: '../../etc/passwd' },
    { kid: undefined },
    { kid: 7 },
  ])('with the unknown or invalid key id %p', async header => {
    const token = signJwt(serverKey(), claims(), header)
    await expect(verifyToken(token, keySet)).rejects.toThrow('No key of the key set signed this JWT')
  })

  test('with one claim changed after signing', async () => {
    const [header, , signature] = signJwt(serverKey(), claims()).split('.')
    const payload = Buffer.from(JSON.stringify(claims({ sub: 'user-2' }))).toString('base64url')
    await expect(verifyToken(`${header}.${payload}.${signature}`, keySet)).rejects.toThrow(
      'Invalid JWT signature',
    )
  })

  test('without an expiry', async () => {
    await expect(verifyToken(signJwt(serverKey(), claims({ exp: undefined })), keySet)).rejects.toThrow(
      'Missing exp claim',
    )
    await expect(verifyToken(signJwt(serverKey(), claims({ exp: '9999999999' })), keySet)).rejects.toThrow(
      'Missing exp claim',
    )
  })

  test('from the second of its expiry on', async () => {
    await expect(verifyToken(signJwt(serverKey(), claims({ exp: NOW })), keySet)).rejects.toThrow(
      'JWT has expired',
    )
    await expect(verifyToken(signJwt(serverKey(), claims({ exp: NOW + 1 })), keySet)).resolves.toBeDefined()
  })

  test.each([
    [{ iss: 'https://evil.example/auth/v1' }, 'Invalid iss claim'],
    [{ iss: undefined }, 'Invalid iss claim'],
    [{ aud: 'anon' }, 'Invalid aud claim'],
    [{ aud: ['other'] }, 'Invalid aud claim'],
    [{ aud: undefined }, 'Invalid aud claim'],
    [{ sub: '' }, 'Missing sub claim'],
    [{ sub: 5 }, 'Missing sub claim'],
    [{ sub: undefined }, 'Missing sub claim'],
    [{ nbf: NOW + 1 }, 'JWT is not valid yet'],
    [{ nbf: 'tomorrow' }, 'JWT is not valid yet'],
    [{ iat: 'yesterday' }, 'Invalid JWT structure'],
  ])('with %p', async (changes, message) => {
    await expect(verifyToken(signJwt(serverKey(), claims(changes)), keySet)).rejects.toThrow(message)
  })

  test.each([[['exp']], [['made-up']]])(
    'that requires critical extensions (%p) which this site does not know',
    async crit => {
      const token = signJwt(serverKey(), claims(), { crit })
      await expect(verifyToken(token, keySet)).rejects.toThrow('Invalid JWT structure')
    },
  )

  test.each(['[]', '"text"', 'null', '{'])('whose payload is %s', async payload => {
    const [header] = signJwt(serverKey(), claims()).split('.')
    const input = `${header}.${Buffer.from(payload).toString('base64url')}`
    const signature = sign('sha256', Buffer.from(input), {
      key: serverKey().privateKey,
      dsaEncoding: 'ieee-p1363',
    })
    const token = `${input}.${signature.toString('base64url')}`
    await expect(verifyToken(token, keySet)).rejects.toThrow('Invalid JWT structure')
  })

  test.each([[{ use: 'enc' }], [{ key_ops: ['sign'] }], [{ alg: 'ES384' }]])(
    'signed by a key that the service publishes for another use (%p)',
    async changes => {
      keySet = keySetThatSays({ keys: [{ ...publicJwk(serverKey()), ...changes }] })
      await expect(verifyToken(signJwt(serverKey(), claims()), keySet)).rejects.toThrow(
        'Invalid JWT signature',
      )
    },
  )
})

describe('a token is accepted', () => {
  test.each(['ES256', 'RS256'] as const)('signed by %s', async algorithm => {
    server.state.rotateSigningKey(algorithm)
    const token = signJwt(serverKey(), claims({ aal: 'aal2', email: 'ada@example.com' }))
    expect(await verifyToken(token, keySet)).toEqual({
      userId: 'user-1',
      email: 'ada@example.com',
      phone: null,
      assuranceLevel: 'aal2',
    })
  })

  test('from the second of its nbf claim on', async () => {
    const token = signJwt(serverKey(), claims({ nbf: NOW, iat: NOW + 30 }))
    await expect(verifyToken(token, keySet)).resolves.toMatchObject({ userId: 'user-1' })
  })

  test('with several audiences, including ours', async () => {
    const token = signJwt(serverKey(), claims({ aud: ['other', 'authenticated'] }))
    await expect(verifyToken(token, keySet)).resolves.toMatchObject({ userId: 'user-1' })
  })

  test('as aal1 when its assurance level is missing or unknown', async () => {
    for (const aal of [undefined, 'aal3', 2]) {
      const token = signJwt(serverKey(), claims({ aal }))
      expect((await verifyToken(token, keySet)).assuranceLevel).toBe('aal1')
    }
  })
})

describe('the key set', () => {
  test('is fetched once for parallel tokens, and cached for 600000 ms', async () => {
    const token = signJwt(serverKey(), claims({ exp: NOW + 3600 }))
    await Promise.all(Array.from({ length: 20 }, () => verifyToken(token, keySet)))
    passTime(599_999)
    await verifyToken(token, keySet)
    expect(keyFetchCount()).toBe(1)
    passTime(1)
    await verifyToken(token, keySet)
    expect(keyFetchCount()).toBe(2)
  })

  test('is fetched again for an unknown key id, so that a rotated key works at once', async () => {
    await verifyToken(signJwt(serverKey(), claims()), keySet)
    passTime(20_000)
    server.state.rotateSigningKey()
    await expect(verifyToken(signJwt(serverKey(), claims()), keySet)).resolves.toBeDefined()
    expect(keyFetchCount()).toBe(2)
  })

  test('is not fetched again for each of many invented key ids', async () => {
    for (let index = 0; index < 50; index += 1) {
      const token = signJwt(serverKey(), claims(), { kid: `invented-${index}` })
      await expect(verifyToken(token, keySet)).rejects.toThrow('No key of the key set signed this JWT')
    }
    expect(keyFetchCount()).toBe(1)
  })

  test('drops a withdrawn key when the cache expires', async () => {
    const token = signJwt(serverKey(), claims({ exp: NOW + 3600 }))
    await verifyToken(token, keySet)
    server.state.rotateSigningKey()
    server.state.dropOldKeys()
    passTime(600_000)
    await expect(verifyToken(token, keySet)).rejects.toThrow('No key of the key set signed this JWT')
  })

  test('that cannot be fetched is reported as unavailable, and not fetched again for ten seconds', async () => {
    const token = signJwt(serverKey(), claims())
    server.faults.push({ path: '/.well-known/jwks.json', status: 'cut', count: 1 })
    await expect(verifyToken(token, keySet)).rejects.toThrow(KeySetUnavailableError)
    passTime(9_999)
    await expect(verifyToken(token, keySet)).rejects.toThrow(KeySetUnavailableError)
    expect(keyFetchCount()).toBe(1)
    passTime(1)
    await expect(verifyToken(token, keySet)).resolves.toBeDefined()
  })

  test('is awaited only within the caller’s time limit, and then its cached keys are used', async () => {
    const token = signJwt(serverKey(), claims({ exp: NOW + 3600 }))
    let hangs = true
    keySet = new KeySet(server.state.issuer, (input, init) =>
      hangs ? new Promise(() => {}) : server.fetch(String(input), init),
    )
    await expect(verifyToken(token, keySet, AbortSignal.abort())).rejects.toThrow(KeySetUnavailableError)
    hangs = false
    keySet = new KeySet(server.state.issuer, (input, init) =>
      hangs ? new Promise(() => {}) : server.fetch(String(input), init),
    )
    await verifyToken(token, keySet)
    hangs = true
    passTime(600_000)
    await expect(verifyToken(token, keySet, AbortSignal.abort())).resolves.toMatchObject({ userId: 'user-1' })
  })

  test.each([
    ['not JSON', '<html>', {}],
    ['of another shape', '{"keys":{}}', {}],
    ['too large', `{"keys":[],"rest":"${'x'.repeat(300_000)}"}`, {}],
    ['a redirect', '', { status: 302, headers: { location: 'https://evil.example/keys' } }],
    ['a 304', null, { status: 304 }],
    ['a 500', '{"keys":[]}', { status: 500 }],
  ])('that is %s is reported as unavailable', async (_, body, init) => {
    keySet = new KeySet(server.state.issuer, async () => new Response(body, init))
    const token = signJwt(serverKey(), claims())
    await expect(verifyToken(token, keySet)).rejects.toThrow(KeySetUnavailableError)
  })

  test('that hangs is awaited for 3 s, and reported as unavailable', async () => {
    const timeout = jest.spyOn(AbortSignal, 'timeout')
    timeout.mockReturnValue(AbortSignal.abort(new DOMException('Time is over.', 'TimeoutError')))
    keySet = new KeySet(server.state.issuer, (_, init) => {
      return new Promise((_resolve, reject) => init?.signal?.aborted && reject(init.signal.reason))
    })
    const token = signJwt(serverKey(), claims())
    await expect(verifyToken(token, keySet)).rejects.toThrow(KeySetUnavailableError)
    expect(timeout.mock.calls).toEqual([[3_000]])
    timeout.mockRestore()
  })

  test('that can no longer be fetched is used for another hour at most', async () => {
    const token = signJwt(serverKey(), claims({ exp: NOW + 7200 }))
    await verifyToken(token, keySet)
    server.faults.push({ path: '/.well-known/jwks.json', status: 'cut', count: 99 })
    passTime(600_000 + 3_599_999)
    await expect(verifyToken(token, keySet)).resolves.toBeDefined()
    passTime(1)
    await expect(verifyToken(token, keySet)).rejects.toThrow(KeySetUnavailableError)
  })

  test('with two keys of the same id is reported as unavailable', async () => {
    keySet = keySetThatSays({ keys: [publicJwk(serverKey()), publicJwk(serverKey())] })
    const token = signJwt(serverKey(), claims())
    await expect(verifyToken(token, keySet)).rejects.toThrow(KeySetUnavailableError)
  })

  test('is fetched again after the clock was set back', async () => {
    const token = signJwt(serverKey(), claims({ exp: NOW + 3600 }))
    await verifyToken(token, keySet)
    passTime(-86_400_000)
    await verifyToken(token, keySet)
    expect(keyFetchCount()).toBe(2)
  })

  test('that failed is fetched at once after the clock was set back', async () => {
    const token = signJwt(serverKey(), claims({ exp: NOW + 3600 }))
    server.faults.push({ path: '/.well-known/jwks.json', status: 'cut', count: 1 })
    await expect(verifyToken(token, keySet)).rejects.toThrow(KeySetUnavailableError)
    passTime(-86_400_000)
    await expect(verifyToken(token, keySet)).resolves.toBeDefined()
  })

  test('whose age nobody knows, since the clock was set back, is not used without asking', async () => {
    const token = signJwt(serverKey(), claims({ exp: NOW + 3600 }))
    await verifyToken(token, keySet)
    server.faults.push({ path: '/.well-known/jwks.json', status: 'cut', count: 99 })
    passTime(-86_400_000)
    await expect(verifyToken(token, keySet)).rejects.toThrow(KeySetUnavailableError)
  })
})
