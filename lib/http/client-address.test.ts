import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { clientAddress } from './client-address'

const of = (address: string, onVercel = false) =>
  clientAddress(new Headers({ [onVercel ? 'x-real-ip' : 'x-client-address']: address }), onVercel)

describe('the client address for rate limits', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7', '192.0.2.0/24', false],
    ['::ffff:192.0.2.7', '192.0.2.7', '192.0.2.0/24', false],
    ['::FFFF:c000:207', '192.0.2.7', '192.0.2.0/24', false],
    ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7', '192.0.2.0/24', false],
    // Whoever has a network could otherwise count as any IPv4 address.
    ['2001:db8:1:2:3:ffff:c000:207', '2001:db8:1:2::/64', '2001:db8:1::/48', true],
    ['192.0.2.7:51234', '192.0.2.7', '192.0.2.0/24', false],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48', true],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64', '2001:db8:1::/48', true],
    ['[2001:db8:1:2::9]:443', '2001:db8:1:2::/64', '2001:db8:1::/48', true],
    ['fe80::1%eth0', 'fe80:0:0:0::/64', 'fe80:0:0::/48', true],
    ['::1', '0:0:0:0::/64', '0:0:0::/48', true],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64', '64:ff9b:0::/48', true],
    ['not an address', 'not an address', 'not an address', false],
  ])('of %s is %s', (told, address, network, isNetworkOneSite) => {
    expect(of(told)).toEqual({ address, network, isNetworkOneSite })
  })

  test('is read only from the header of our own server, or of Vercel', () => {
    const told = { 'x-client-address': '192.0.2.1', 'x-real-ip': '192.0.2.2', 'x-forwarded-for': '192.0.2.3' }
    const headers = new Headers({ ...told, forwarded: 'for=192.0.2.4', 'cf-connecting-ip': '192.0.2.5' })
    expect(clientAddress(headers, false).address).toBe('192.0.2.1')
    expect(clientAddress(headers, true).address).toBe('192.0.2.2')
    expect(clientAddress(new Headers(), false).address).toBe('unknown')
  })

  test('is the same for every notation of an IPv6 address and every address of its /64', () => {
    const group = fc.integer({ min: 0, max: 0xffff })
    const groups = fc.array(fc.oneof(group, fc.constant(0)), { minLength: 8, maxLength: 8 })
    fc.assert(
      fc.property(groups, group, (all, other) => {
        const long = all.map(value => value.toString(16).padStart(4, '0')).join(':')
        const short = new URL(`http://[${long}]`).hostname.slice(1, -1)
        expect(of(short)).toEqual(of(long.toUpperCase()))
        const neighbour = `${long.slice(0, -4)}${other.toString(16)}`
        if (of(long).isNetworkOneSite) expect(of(neighbour)).toEqual(of(long))
      }),
    )
  })
})
