/** The name is shown in a line or two. In a file without schemas, because pages import it too. */
export const REFILL_NAME_LENGTH_MAX = 80
