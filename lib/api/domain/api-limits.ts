/** What the API bounds and the pages' forms bound too; contracts are built with schemas, which no page loads. */

/** Longest label of a key; it is shown in one line of a list. */
export const KEY_LABEL_LENGTH_MAX = 80
/** The smallest limit of a key is one cent. */
export const USAGE_LIMIT_USD_MIN = 0.01
export const USAGE_LIMIT_USD_MAX = 1_000_000
/** A page of calls is one screenful of a table or a polite batch for a script. */
export const QUERY_PAGE_SIZE_MAX = 500
