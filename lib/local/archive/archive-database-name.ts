import { databaseExists } from '../database/database-exists'

/** Separate from the archive, so that checking whether there is one loads little code. */
export const ARCHIVE_DATABASE_NAME = 'tuppence-archive'

export const archiveExists = (): Promise<boolean> => databaseExists(ARCHIVE_DATABASE_NAME)
