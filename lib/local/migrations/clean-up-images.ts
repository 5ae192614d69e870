import type { Migration } from './migration'

/** Specification, section 9. */
const KEPT_IMAGE_COUNT = 20
const IMAGE_AGE_MAX_MS = 172_800_000
const DELETE_BATCH_SIZE = 5

/**
 * Version 2: the image store is cleaned up. "Keep the 20 newest. Images older than 2 days are replaced by
 * a 1x1 placeholder. Others beyond 20 are deleted in batches of 5." We read the sentences in their order:
 * the 20 newest stay as they are, whatever their age; of all further ones, those older than two days stay
 * as placeholders, and the younger ones are deleted. An image without a date counts as the oldest.
 *
 * A second run after an interruption finds the same 20 (placeholders keep their dates) and does the rest.
 */
export const cleanUpImagesMigration: Migration = {
  version: 2,
  async run({ openImages, now }) {
    const images = await openImages()
    if (!images) return
    const beyond = (await images.entries()).slice(KEPT_IMAGE_COUNT)
    const oldestKeptMs = now().getTime() - IMAGE_AGE_MAX_MS
    const isOld = (entry: { createdMs: number }): boolean => entry.createdMs < oldestKeptMs
    for (const entry of beyond) {
      if (isOld(entry) && !entry.isPlaceholder) await images.replaceByPlaceholder(entry.key)
    }
    const young = beyond.filter(entry => !isOld(entry))
    for (let start = 0; start < young.length; start += DELETE_BATCH_SIZE) {
      await images.delete(young.slice(start, start + DELETE_BATCH_SIZE).map(entry => entry.key))
    }
  },
}
