import { schema } from './0001-schema'
import { refillLinkName } from './0002-refill-link-name'
import type { Migration } from './migration'

/** In the order in which they run. Add at the end; never change or reorder what a deployment has run. */
export const MIGRATIONS = [schema, refillLinkName] as const satisfies readonly Migration[]
