import 'server-only'
import { isIPv4, isIPv6 } from 'node:net'

/** The origin of a request as rate limits count it: never by anything that a visitor can choose. */
export interface ClientAddress {
  /** An IPv4 address, or the /64 of an IPv6 one, within which a machine can take any address it likes. */
  address: string
  /** Its neighbours: the /24 of an IPv4 address, the /48 of an IPv6 one. */
  network: string
  /** A /48 is assigned to one site as a whole; a /24 belongs to many people. */
  isNetworkOneSite: boolean
}

/**
 * A self-hosted server writes `x-client-address` itself from the socket (scripts/server.ts), overwriting
 * what a visitor sent; Vercel overwrites `x-real-ip`.
 */
export function clientAddress(headers: Headers, onVercel: boolean): ClientAddress {
  const header = headers.get(onVercel ? 'x-real-ip' : 'x-client-address')?.trim() ?? 'unknown'
  const text = bareAddress(header)
  if (isIPv4(text)) return ofIPv4(text)
  if (!isIPv6(text)) return { address: header, network: header, isNetworkOneSite: false }
  const groups = groupsOf(text)
  const mapped = mappedIPv4(groups)
  if (mapped !== null) return ofIPv4(mapped)
  const prefix = (count: number) =>
    groups
      .slice(0, count)
      .map(group => group.toString(16))
      .join(':')
  return { address: `${prefix(4)}::/64`, network: `${prefix(3)}::/48`, isNetworkOneSite: true }
}

function ofIPv4(address: string): ClientAddress {
  const network = address.split('.').slice(0, 3).join('.')
  return { address, network: `${network}.0/24`, isNetworkOneSite: false }
}

/** Some proxies add a port, brackets or a zone. */
function bareAddress(text: string): string {
  const inBrackets = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1]
  const withoutPort = /^([\d.]+):\d+$/.exec(text)?.[1]
  return (inBrackets ?? withoutPort ?? text).replace(/%.*$/, '')
}

/** The eight groups of a valid IPv6 address, however it is written. */
function groupsOf(text: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text)
  const hex = (high = '0', low = '0') => (Number(high) * 256 + Number(low)).toString(16)
  const plain = dotted ? `${dotted[1]}${hex(dotted[2], dotted[3])}:${hex(dotted[4], dotted[5])}` : text
  const [head = [], tail = []] = plain.split('::').map(part => part.split(':').filter(group => group !== ''))
  const zeros = Array<string>(8 - head.length - tail.length).fill('0')
  return [...head, ...zeros, ...tail].map(group => Number.parseInt(group, 16))
}

/** `::ffff:192.0.2.1` is 192.0.2.1 on a dual-stack socket. */
function mappedIPv4(groups: readonly number[]): string | null {
  const [high = 0, low = 0] = groups.slice(6)
  if (groups.slice(0, 5).some(group => group !== 0) || groups[5] !== 0xffff) return null
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}
