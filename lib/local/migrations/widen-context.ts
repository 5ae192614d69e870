import { MAX_CONTEXT_KEY } from '../storage/storage-keys'
import { type Migration, writeOrThrow } from './migration'

/** Version 3: a stored maxContext of 1024, the former default, becomes 2048. Any other was chosen. */
export const widenContextMigration: Migration = {
  version: 3,
  async run({ storage }) {
    const stored = storage.read(MAX_CONTEXT_KEY)
    if (stored?.replaceAll('"', '').trim() !== '1024') return
    writeOrThrow(storage, MAX_CONTEXT_KEY, stored.replace('1024', '2048'))
  },
}
