/** Routes below `/v1` that answer without it too, for tools whose base URL has no version in it. */
export const ALIASED_SEGMENTS = ['chat', 'models', 'images', 'audio'] as const

/** In the shape of `rewrites()` in next.config. */
export function bareAliases() {
  return ALIASED_SEGMENTS.map(segment => ({
    source: `/${segment}/:path*`,
    destination: `/v1/${segment}/:path*`,
  }))
}
