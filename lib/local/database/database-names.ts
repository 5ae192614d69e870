import { databaseExists } from './database-exists'

/** Separate from the stores, so that checking whether there is one loads little code. */

/** The specified name. */
export const IMAGE_DATABASE_NAME = 'image-urls-db'
/** Where pictures wait while the store is created anew, for seconds or until the next visit. */
export const MOVING_IMAGE_DATABASE_NAME = 'image-urls-db-moving'
export const ARCHIVE_DATABASE_NAME = 'tuppence-archive'
/** A database of its own, so that tabs of an older version, which have the archive open, are not affected. */
export const DOCUMENT_DATABASE_NAME = 'tuppence-documents'

export const DATABASE_NAMES = [
  MOVING_IMAGE_DATABASE_NAME,
  IMAGE_DATABASE_NAME,
  DOCUMENT_DATABASE_NAME,
  ARCHIVE_DATABASE_NAME,
]

export const archiveExists = (): Promise<boolean> => databaseExists(ARCHIVE_DATABASE_NAME)

export async function imageDatabaseExists(): Promise<boolean> {
  return (await databaseExists(IMAGE_DATABASE_NAME)) || databaseExists(MOVING_IMAGE_DATABASE_NAME)
}
