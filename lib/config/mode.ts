/** True under `next dev`; the build replaces the expression, so a production bundle has no trace of it. */
export function isDevelopment(): boolean {
  return process.env.NODE_ENV === 'development'
}
