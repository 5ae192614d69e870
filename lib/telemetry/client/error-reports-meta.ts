/** The element that tells the browser where to send error reports: a DSN, which is no secret. */
export const ERROR_REPORTS_META = 'error-reports'
