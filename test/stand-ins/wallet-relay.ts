import { startWebSocketServer, type WebSocketPeer } from './websocket-server'

interface NostrEvent {
  id: string
  kind: number
  pubkey: string
  tags: string[][]
}

/** NIP-47's kind for requests to a wallet. */
const REQUEST_KIND = 23194

type Filter = Record<string, unknown>

/** A Nostr relay (NIP-01) as far as a wallet and its client need one: stores events and passes them on. */
export async function startRelay() {
  const events: NostrEvent[] = []
  const subscriptions = new Map<string, { peer: WebSocketPeer; name: string; filters: Filter[] }>()
  const peers = new Map<WebSocketPeer, number>()
  const askers = new Set<WebSocketPeer>()
  const forgotten = new Set<WebSocketPeer>()

  const server = await startWebSocketServer(peer => {
    const peerNumber = peers.size
    peers.set(peer, peerNumber)
    return {
      onMessage: text => {
        if (forgotten.has(peer)) return
        const [type, ...rest]: unknown[] = JSON.parse(text)
        if (type === 'EVENT' && isEvent(rest[0])) publish(peer, rest[0])
        if (type === 'REQ') subscribe(peer, String(rest[0]), rest.slice(1).filter(isFilter))
        if (type === 'CLOSE') subscriptions.delete(`${peerNumber}/${rest[0]}`)
      },
      onClose: () => {
        for (const [key, { peer: owner }] of subscriptions) if (owner === peer) subscriptions.delete(key)
      },
    }
  })

  function publish(sender: WebSocketPeer, event: NostrEvent): void {
    events.push(event)
    if (event.kind === REQUEST_KIND) askers.add(sender)
    sender.send(JSON.stringify(['OK', event.id, true, '']))
    for (const { peer, name, filters } of subscriptions.values()) {
      if (forgotten.has(peer)) continue
      if (filters.some(filter => matches(event, filter))) peer.send(JSON.stringify(['EVENT', name, event]))
    }
  }

  function subscribe(peer: WebSocketPeer, name: string, filters: Filter[]): void {
    subscriptions.set(`${peers.get(peer)}/${name}`, { peer, name, filters })
    for (const event of events.filter(each => filters.some(filter => matches(each, filter))))
      peer.send(JSON.stringify(['EVENT', name, event]))
    peer.send(JSON.stringify(['EOSE', name]))
  }

  return {
    url: server.url,
    /** Like a router that forgets connections: from now on these carry nothing, and neither side learns of it. */
    forgetAskers: () => {
      for (const asker of askers) forgotten.add(asker)
    },
    stop: server.stop,
  }
}

function matches(event: NostrEvent, filter: Filter): boolean {
  return Object.entries(filter).every(([name, wanted]) => {
    if (!Array.isArray(wanted)) return true
    if (name === 'kinds') return wanted.includes(event.kind)
    if (name === 'authors') return wanted.includes(event.pubkey)
    if (name === 'ids') return wanted.includes(event.id)
    const tag = name.slice(1)
    return event.tags.some(([key, value]) => key === tag && wanted.includes(value))
  })
}

function isEvent(value: unknown): value is NostrEvent {
  return isFilter(value) && typeof value.id === 'string' && Array.isArray(value.tags)
}

function isFilter(value: unknown): value is Filter {
  return typeof value === 'object' && value !== null
}
