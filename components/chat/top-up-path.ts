/** The top-up leads back here, where the unsent question waits. */
export const TOP_UP_AND_RETURN = '/top-up?return=/'
