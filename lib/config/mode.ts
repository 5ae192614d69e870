/** True under `next dev`. The build replaces the expression, so that nothing of it remains in a production bundle. */
export function isDevelopment(): boolean {
  return process.env.NODE_ENV === 'development'
}
