/** The first path segments of the API and of sign-in, each with its mount in `app/(api)/`. */
export const MOUNTED_SEGMENTS = [
  'api',
  'v1',
  'accounts',
  'credits',
  'topup',
  'keys',
  'queries',
  'mcp',
  'auth',
] as const

/** Routes below `/v1` that also answer without it, for tools whose base URL has no version. */
export const ALIASED_SEGMENTS = [
  'chat',
  'responses',
  'messages',
  'completions',
  'embeddings',
  'images',
  'audio',
  'models',
] as const

/** Nothing below them is a page: the middleware leaves them alone. */
export const API_SEGMENTS = [...MOUNTED_SEGMENTS, ...ALIASED_SEGMENTS] as const

/** Where the sandbox's AI host answers (lib/sandbox-upstream), which has no pages either. */
export const SANDBOX_UPSTREAM_PATH = '/sandbox/upstream'

/** For `rewrites()` in next.config. */
export function bareAliases() {
  return ALIASED_SEGMENTS.map(segment => ({
    source: `/${segment}/:path*`,
    destination: `/v1/${segment}/:path*`,
  }))
}
