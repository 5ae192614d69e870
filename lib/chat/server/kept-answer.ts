import 'server-only'
import type { KeptReplay } from '@/lib/ledger/server/metering/load-replay'
import type { Answer } from './running-exchange'

/** A kept answer for one more reader; only a numbered one can be continued behind an event. */
export function keptAnswer({ head, bodyAfter }: KeptReplay): Answer {
  const headers = { 'content-type': head.contentType, 'cache-control': 'no-store' }
  const read: Answer['read'] = ({ afterEvent }) => {
    const body = bodyAfter(head.numbered ? afterEvent : 0)
    return body && new Uint8Array(body)
  }
  return { status: head.status, headers, read }
}
