import 'server-only'
import type { Database } from '@/lib/db/database'
import { callFunction } from './ask-database'
import { Batcher } from './batcher'
import type { PlacedHold, PlaceHoldRequest, ResolvedHold, ResolveHoldRequest } from './hold-messages'

/** The pool's other connections stay free for everything else. */
const LANE_COUNT = 3

/**
 * How many turns of the event loop a call waits for others to join it. A settlement lets holds go first:
 * they stand before the first token, it stands behind the last.
 */
const TURN_COUNTS = { placing: 1, resolving: 3 } as const

/** What the ledger's verbs work with. The two that every exchange needs go out in batches. */
export interface LedgerContext {
  readonly database: Database
  placeHold(request: PlaceHoldRequest): Promise<PlacedHold>
  resolveHold(request: ResolveHoldRequest): Promise<ResolvedHold>
}

export function createLedgerContext({ database }: { database: Database }): LedgerContext {
  const placing = new Batcher<PlaceHoldRequest, PlacedHold>({
    laneCount: LANE_COUNT,
    turnCount: TURN_COUNTS.placing,
    ask: requests => callFunction(database, 'place_holds', requests),
  })
  const resolving = new Batcher<ResolveHoldRequest, ResolvedHold>({
    laneCount: LANE_COUNT,
    turnCount: TURN_COUNTS.resolving,
    ask: requests => callFunction(database, 'resolve_holds', requests),
  })
  return {
    database,
    placeHold: request => placing.run(request),
    resolveHold: request => resolving.run(request),
  }
}
