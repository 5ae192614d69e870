import { databaseExists } from '../database/database-exists'

/** Apart from the archive, so that asking whether there is one is cheap. */
export const ARCHIVE_DATABASE_NAME = 'tuppence-archive'

export const archiveExists = (): Promise<boolean> => databaseExists(ARCHIVE_DATABASE_NAME)
