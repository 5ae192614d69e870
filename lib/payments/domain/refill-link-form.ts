/*
 * Without schemas, because pages import it, too.
 */

/** The name is shown in a line or two. */
export const REFILL_NAME_LENGTH_MAX = 80

/** Cannot be mistaken for an API key or a credit_id, by people or by checks of their form. */
export const REFILL_TOKEN_PATTERN = /^rf-[A-Za-z0-9_-]{32}$/
