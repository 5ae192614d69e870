/** The highest version among `MIGRATIONS`, for those who do not want to load them. */
export const LATEST_MIGRATION_VERSION = 3
