/** Fixed and unusual, so that a development server on 3000 does not get in the way. */
export const APP_PORT = Number(process.env.E2E_APP_PORT ?? '3417')
export const UPSTREAM_PORT = Number(process.env.E2E_UPSTREAM_PORT ?? '4417')
