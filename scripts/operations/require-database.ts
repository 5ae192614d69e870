import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { ServerSettings } from '@/lib/config/settings'
import { OperationError } from './operation'

/**
 * A command that is run without the site's settings would create an empty database here, whose books balance.
 *
 * @throws OperationError
 */
export function requireDatabase({
  url,
  dataDirectory,
}: Pick<ServerSettings['database'], 'url' | 'dataDirectory'>): void {
  const directory = resolve(dataDirectory)
  // A site with a database elsewhere keeps its caches in the directory.
  if (url !== null || existsSync(join(directory, 'postgres'))) return
  throw new OperationError(
    `There is no database in ${directory}, and DATABASE_URL is not set. Run this with the settings of the site.`,
  )
}
