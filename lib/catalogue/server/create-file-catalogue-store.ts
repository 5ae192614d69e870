import 'server-only'
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { log } from '@/lib/observability/log'

/** Stores the last good answer of each upstream's `/models` across restarts. Losing it does no harm. */
export interface CatalogueStore {
  /** Null if there is no copy, or it cannot be read. */
  load(key: string): Promise<string | null>
  /** Never throws: without a stored copy only the next start is slower. */
  save(key: string, payload: string): Promise<void>
}

/**
 * Stores copies as files under `DATA_DIR/catalogue`. A directory that is not writable (read-only hosts) is reported
 * once and otherwise ignored.
 *
 * The paths are hidden from the bundler, which would pack every file of this repository that they might match with each
 * function.
 */
export function createFileCatalogueStore(
  dataDirectory: string,
  report: (message: string) => void = message => log.warn(message),
): CatalogueStore {
  const directory = join(/* turbopackIgnore: true */ dataDirectory, 'catalogue')
  const pathOf = (key: string) =>
    join(/* turbopackIgnore: true */ directory, `${encodeURIComponent(key)}.json`)
  let reported = false
  return {
    async load(key) {
      try {
        return await readFile(/* turbopackIgnore: true */ pathOf(key), 'utf8')
      } catch {
        return null
      }
    },
    async save(key, payload) {
      const temporary = `${pathOf(key)}.${randomUUID()}`
      try {
        await mkdir(directory, { recursive: true })
        await writeFile(temporary, payload)
        // Renaming is atomic: a reader sees the old copy or the new one, never a part of it.
        await rename(temporary, pathOf(key))
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => {})
        if (reported) return
        reported = true
        const reason = error instanceof Error ? error.message : 'unknown reason'
        report(
          `catalogue: lists of models cannot be stored in ${directory} (${reason}); continuing without stored copies.`,
        )
      }
    },
  }
}
