import { expect, test } from '@jest/globals'
import { refillAddress, tokenFromFragment } from './refill-address'

const TOKEN = `rf-${'aB3_-'.repeat(6)}xy`

test.each(['', '#', 'rf-', `#${TOKEN}x`, `#sk-${'a'.repeat(32)}`, `#${TOKEN.slice(0, -1)}`, '#rf-<script>'])(
  '%j holds no token',
  fragment => {
    expect(tokenFromFragment(fragment)).toBeNull()
  },
)

test('the token is only in the fragment, which no server receives', () => {
  const address = new URL(refillAddress('https://site.test', TOKEN))
  expect(address.pathname + address.search).toBe('/refill')
  expect(tokenFromFragment(address.hash)).toBe(TOKEN)
})
