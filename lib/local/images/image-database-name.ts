import { databaseExists } from '../database/database-exists'

/** The specification's name; apart from the store, so that asking whether there is one is cheap. */
export const IMAGE_DATABASE_NAME = 'image-urls-db'
/** Where pictures wait while the store is made anew; there for seconds, or until the next visit. */
export const MOVING_IMAGE_DATABASE_NAME = 'image-urls-db-moving'

export async function imageDatabaseExists(): Promise<boolean> {
  return (await databaseExists(IMAGE_DATABASE_NAME)) || databaseExists(MOVING_IMAGE_DATABASE_NAME)
}
