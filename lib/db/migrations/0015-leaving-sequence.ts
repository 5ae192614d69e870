import type { Migration } from './migration'
import { protectSequence } from './protect'

/** Supabase lets its roles use every new sequence, and `leaving` made one for its ids. */
export const leavingSequence: Migration = {
  name: '0015-leaving-sequence',
  statements: [...protectSequence('leaving_id_seq')],
}
