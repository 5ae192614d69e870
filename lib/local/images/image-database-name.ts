import { databaseExists } from '../database/database-exists'

/** The specified name; separate from the store, so that checking whether there is one loads little code. */
export const IMAGE_DATABASE_NAME = 'image-urls-db'
/** Where pictures wait while the store is created anew, for seconds or until the next visit. */
export const MOVING_IMAGE_DATABASE_NAME = 'image-urls-db-moving'

export async function imageDatabaseExists(): Promise<boolean> {
  return (await databaseExists(IMAGE_DATABASE_NAME)) || databaseExists(MOVING_IMAGE_DATABASE_NAME)
}
