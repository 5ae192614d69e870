import { expect, test } from '@jest/globals'
import { siteUrlFor } from './request-origin'

const addressOf = (headers: Record<string, string>, siteUrl: string | null = null) =>
  siteUrlFor({ siteUrl }, new Request('http://localhost/topup/create/card', { headers }))

test.each([
  ['its own host', { host: 'chat.example' }, 'http://chat.example'],
  ['a proxy', { 'x-forwarded-host': 'chat.example', 'x-forwarded-proto': 'https' }, 'https://chat.example'],
  [
    'proxies that each append',
    { 'x-forwarded-host': 'chat.example, inner.example', 'x-forwarded-proto': 'https, http' },
    'https://chat.example',
  ],
  ['something that is no host', { 'x-forwarded-host': 'chat.example/path' }, 'http://localhost'],
])('the address is the one that the visitor reached, by %s', (_, headers, address) => {
  expect(addressOf(headers)).toBe(address)
})

test('the address is the operator’s, whatever the headers say', () => {
  expect(addressOf({ 'x-forwarded-host': 'other.example' }, 'https://chat.example')).toBe(
    'https://chat.example',
  )
})
