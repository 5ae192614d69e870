import { describe, expect, test } from '@jest/globals'
import { ApiError } from './api-error'
import { hashSecret, requireCredential, requireCreditId } from './credential'
import { hasBearerSecret } from './same-secret'

const CREDIT_ID = '8b7f6a2e-3c1d-4e5f-9a0b-1c2d3e4f5a6b'
const API_KEY = `sk-${'k'.repeat(32)}`

function codeOf(run: () => unknown): string | null {
  try {
    run()
    return null
  } catch (error) {
    return error instanceof ApiError ? error.code : 'not an ApiError'
  }
}

describe('a request without a usable credential is refused', () => {
  test.each<[string, HeadersInit]>([
    ['no header', {}],
    ['an empty bearer', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: `Basic ${CREDIT_ID}` }],
    ['a malformed credit_id', { authorization: `Bearer ${CREDIT_ID}0` }],
    ['a short key', { 'x-api-key': 'sk-1' }],
    ['two tokens', { authorization: `Bearer ${CREDIT_ID} ${CREDIT_ID}` }],
  ])('%s', (_, headers) => {
    expect(codeOf(() => requireCredential(new Headers(headers)))).toBe('invalid_credential')
  })

  test('the error never contains what was sent', () => {
    expect(() => requireCredential(new Headers({ 'x-api-key': 'secret-value' }))).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret-value') }),
    )
  })
})

describe('every accepted header carries either form of credential', () => {
  test.each([
    ['authorization', `Bearer ${CREDIT_ID}`],
    ['authorization', `bearer ${CREDIT_ID.toUpperCase()}`],
    ['x-api-key', CREDIT_ID],
    ['api-key', CREDIT_ID],
    ['x-credit-id', CREDIT_ID],
  ])('%s: %s', (name, value) => {
    expect(requireCredential(new Headers({ [name]: value }))).toEqual({
      kind: 'credit_id',
      secretHash: hashSecret(CREDIT_ID),
    })
  })

  test('an API key is recognized, and kept case-sensitive', () => {
    expect(requireCredential(new Headers({ 'api-key': API_KEY }))).toEqual({
      kind: 'api_key',
      secretHash: hashSecret(API_KEY),
    })
  })
})

test.each([
  [CREDIT_ID, '12285e57cac61a47af0d0cac7c27e27593efcacbc36a3cd6a88f864574939a8e'],
  ['é€😀', 'df9226927fd572c1ee66eec85de1bb139497614899f36e4e90474cb71f6ef9d0'],
])('accounts are found by the SHA-256 of a secret: %s', (secret, sha256) => {
  expect(hashSecret(secret)).toBe(sha256)
})

test.each(['Bearer two words', 'bearer  two words '])(
  'a bearer token with spaces is read completely: %j',
  authorization => {
    const request = new Request('https://site.test/', { headers: { authorization } })
    expect(hasBearerSecret(request, 'two words')).toBe(true)
    expect(hasBearerSecret(request, 'two')).toBe(false)
  },
)

test('management routes refuse an API key', () => {
  expect(codeOf(() => requireCreditId(new Headers({ 'x-api-key': API_KEY })))).toBe('forbidden')
})
