import { expect, test } from '@jest/globals'
import {
  keyOfPasskeySecret,
  keyOfPassphrase,
  newSalt,
  openConnection,
  parseSealedConnection,
  passphraseLock,
  randomBytes,
  sealConnection,
  writeSealedConnection,
} from './sealed-connection'

const CONNECTION = `nostr+walletconnect://${'a'.repeat(64)}?relay=wss://relay.test&secret=${'b'.repeat(64)}`

async function sealed(passphrase: string): Promise<string> {
  const lock = passphraseLock()
  return writeSealedConnection(
    await sealConnection(CONNECTION, await keyOfPassphrase(passphrase, lock), lock),
  )
}

async function opened(text: string, passphrase: string): Promise<string | null> {
  const connection = parseSealedConnection(text)
  if (connection?.lock.kind !== 'passphrase') throw new Error('no passphrase')
  return openConnection(connection, await keyOfPassphrase(passphrase, connection.lock))
}

test('only its passphrase opens a sealed connection, in any Unicode normal form', async () => {
  const text = await sealed('Schlüssel für alles')
  expect(await opened(text, 'Schlu\u0308ssel fu\u0308r alles')).toBe(CONNECTION)
  expect(await opened(text, 'schlüssel für alles')).toBeNull()
})

test('the stored value reveals nothing, differs each time, and uses a slow key derivation', async () => {
  const [one, other] = await Promise.all([sealed('one and the same'), sealed('one and the same')])
  expect(one).not.toBe(other)
  expect(one).not.toMatch(/relay|secret|aaaa|bbbb/)
  expect(JSON.parse(one)).toMatchObject({ lock: 'passphrase', iterations: 600_000 })
})

test('the secret of a passkey opens the connection it sealed', async () => {
  const lock = { kind: 'passkey', salt: newSalt(), credentialId: randomBytes(16) } as const
  const secret = randomBytes(32)
  const key = await keyOfPasskeySecret(secret, lock)
  const stored = parseSealedConnection(writeSealedConnection(await sealConnection(CONNECTION, key, lock)))
  if (stored?.lock.kind !== 'passkey') throw new Error('no passkey')
  expect(stored.lock).toEqual(lock)
  expect(await openConnection(stored, await keyOfPasskeySecret(secret, stored.lock))).toBe(CONNECTION)
  expect(await openConnection(stored, await keyOfPasskeySecret(randomBytes(32), stored.lock))).toBeNull()
})

test('the key cannot be exported from the page', async () => {
  const key = await keyOfPassphrase('one and the same', passphraseLock())
  await expect(crypto.subtle.exportKey('raw', key)).rejects.toThrow()
})

test.each([
  '{}',
  '{"lock":"passphrase","salt":"AA==","iterations":1e12,"iv":"AA==","sealed":"AA=="}',
  '{"lock":"passphrase","salt":"%","iterations":600000,"iv":"AA==","sealed":"AA=="}',
  '{"lock":"passkey","salt":"AA==","iv":"AA==","sealed":"AA=="}',
  '{"lock":"none","salt":"AA==","iterations":1,"iv":"AA==","sealed":"AA=="}',
  'no json',
])('%s is not a sealed connection', text => {
  expect(parseSealedConnection(text)).toBeNull()
})
