import { createHmac } from 'node:crypto'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { AuthServer } from '@/test/stand-ins/auth-server'
import { createSigningKey, publicJwk, signJwt } from '@/test/stand-ins/auth-server-keys'
import { KeySet, KeySetUnavailableError } from './key-set'
import { verifyToken } from './verify-token'

const NOW_MS = Date.parse('2026-11-20T12:00:00Z')
const NOW = NOW_MS / 1000

let server: AuthServer
let nowMs: number
let keySet: KeySet

beforeEach(() => {
  server = new AuthServer()
  nowMs = NOW_MS
  keySet = new KeySet(server.state.issuer, server.fetch, () => nowMs)
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
    ['as long as a book', `${'a'.repeat(70_000)}.b.c`],
  ])('when it is %s', async (_, token) => {
    await expect(verifyToken(token, keySet)).rejects.toThrow('Invalid JWT structure')
    expect(keyFetchCount()).toBe(0)
  })

  test.each(['none', 'None', 'HS256', 'HS512', 'PS256', 'ES384', 'RS512', 'EdDSA', '', 5, null])(
    'with algorithm %p, without asking anybody',
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

  test('carrying its own key or the address of one', async () => {
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
  ])('with the odd key id %p', async header => {
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

  test('from the very second of its expiry', async () => {
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
  ])('with %p', async (changes, message) => {
    await expect(verifyToken(signJwt(serverKey(), claims(changes)), keySet)).rejects.toThrow(message)
  })
})

describe('a token is accepted', () => {
  test.each(['ES256', 'RS256'] as const)('signed by %s', async algorithm => {
    server.state.rotateSigningKey(algorithm)
    const token = signJwt(serverKey(), claims({ aal: 'aal2', email: 'ada@example.com', session_id: 's1' }))
    expect(await verifyToken(token, keySet)).toEqual({
      userId: 'user-1',
      sessionId: 's1',
      email: 'ada@example.com',
      phone: null,
      assuranceLevel: 'aal2',
      expiresAtSeconds: NOW + 60,
    })
  })

  test('with several audiences, ours among them', async () => {
    const token = signJwt(serverKey(), claims({ aud: ['other', 'authenticated'] }))
    await expect(verifyToken(token, keySet)).resolves.toMatchObject({ userId: 'user-1' })
  })

  test('at the lower level when it says nothing of one, or something unknown', async () => {
    for (const aal of [undefined, 'aal3', 2]) {
      const token = signJwt(serverKey(), claims({ aal }))
      expect((await verifyToken(token, keySet)).assuranceLevel).toBe('aal1')
    }
  })
})

describe('the key set', () => {
  test('is fetched once for many tokens at once, and kept for 600000 ms', async () => {
    const token = signJwt(serverKey(), claims({ exp: NOW + 3600 }))
    await Promise.all(Array.from({ length: 20 }, () => verifyToken(token, keySet)))
    nowMs += 599_999
    await verifyToken(token, keySet)
    expect(keyFetchCount()).toBe(1)
    nowMs += 1
    await verifyToken(token, keySet)
    expect(keyFetchCount()).toBe(2)
  })

  test('is fetched again for a key that it lacks: rotation needs no waiting', async () => {
    await verifyToken(signJwt(serverKey(), claims()), keySet)
    nowMs += 20_000
    server.state.rotateSigningKey()
    await expect(verifyToken(signJwt(serverKey(), claims()), keySet)).resolves.toBeDefined()
    expect(keyFetchCount()).toBe(2)
  })

  test('is not fetched for every invented key id', async () => {
    for (let index = 0; index < 50; index += 1) {
      const token = signJwt(serverKey(), claims(), { kid: `invented-${index}` })
      await expect(verifyToken(token, keySet)).rejects.toThrow('No key of the key set signed this JWT')
    }
    expect(keyFetchCount()).toBe(1)
  })

  test('forgets a key that the service withdrew, when the cache is over', async () => {
    const token = signJwt(serverKey(), claims({ exp: NOW + 3600 }))
    await verifyToken(token, keySet)
    server.state.rotateSigningKey()
    server.state.dropOldKeys()
    nowMs += 600_000
    await expect(verifyToken(token, keySet)).rejects.toThrow('No key of the key set signed this JWT')
  })

  test('that cannot be fetched says nothing about the token, and is asked for again', async () => {
    const token = signJwt(serverKey(), claims())
    server.faults.push({ path: '/.well-known/jwks.json', status: 'cut', count: 1 })
    await expect(verifyToken(token, keySet)).rejects.toThrow(KeySetUnavailableError)
    await expect(verifyToken(token, keySet)).resolves.toBeDefined()
  })

  test('is fetched again after the clock was set back', async () => {
    const token = signJwt(serverKey(), claims({ exp: NOW + 3600 }))
    await verifyToken(token, keySet)
    nowMs -= 86_400_000
    await verifyToken(token, keySet)
    expect(keyFetchCount()).toBe(2)
  })
})
