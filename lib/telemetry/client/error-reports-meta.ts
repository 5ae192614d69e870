/** The element in which a page tells the browser where error reports go: a DSN, which is no secret. */
export const ERROR_REPORTS_META = 'error-reports'
