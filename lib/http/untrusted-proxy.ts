import 'server-only'
import { BlockList, isIPv6 } from 'node:net'
import { log } from '@/lib/observability/log'
import { processWide } from '@/lib/observability/process-wide'

/** Where a proxy of the operator's own may be: this machine, or its network. Anybody else may make up a header. */
const OWN_NETWORKS = new BlockList()
OWN_NETWORKS.addSubnet('127.0.0.0', 8)
OWN_NETWORKS.addSubnet('10.0.0.0', 8)
OWN_NETWORKS.addSubnet('172.16.0.0', 12)
OWN_NETWORKS.addSubnet('192.168.0.0', 16)
OWN_NETWORKS.addAddress('::1', 'ipv6')
OWN_NETWORKS.addSubnet('fc00::', 7, 'ipv6')

const noted = processWide('untrusted-proxy', () => ({ isTold: false }))

/**
 * Tells the operator once that a request has come through a proxy whose word for the visitor's address does not count.
 * All visitors then share the limits of one.
 */
export function noteUntrustedProxy(address: string): void {
  if (noted.isTold || !OWN_NETWORKS.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return
  noted.isTold = true
  log.warn(
    'a proxy passes requests on, but TRUSTED_PROXY_COUNT is 0: all visitors count as one, and share its limits',
  )
}
