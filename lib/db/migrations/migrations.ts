import { schema } from './0001-schema'
import type { Migration } from './migration'

/** In the order in which they run. Add at the end; never change or reorder what a deployment has run. */
export const MIGRATIONS = [schema] as const satisfies readonly Migration[]
