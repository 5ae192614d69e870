import 'server-only'

/** Relative, so that the Host header does not decide where the browser goes. */
export function redirectTo(path: string): Response {
  return new Response(null, {
    status: 303,
    headers: { location: path, 'cache-control': 'private, no-store', 'referrer-policy': 'no-referrer' },
  })
}
