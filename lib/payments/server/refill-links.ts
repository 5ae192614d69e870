import 'server-only'
import type { Database } from '@/lib/db/database'
import type { RefillLinks } from '../domain/refill-links'
import { createRefillLink } from './refill-create'
import { findRefillLink } from './refill-find'
import { getRefillLink } from './refill-get'
import { revokeRefillLink } from './refill-revoke'
import type { RefillTables } from './refill-table'

/** The links that this deployment keeps itself, on either kind of database. */
export function createRefillLinks(input: { database: Database }): RefillLinks {
  const database = input.database.kysely.withTables<RefillTables>()
  return {
    create: request => createRefillLink(database, request),
    get: request => getRefillLink(database, request),
    revoke: request => revokeRefillLink(database, request),
    find: request => findRefillLink(database, request),
  }
}
