import 'server-only'

/** Relative, so that no Host header decides where the browser goes. */
export function redirectTo(path: string): Response {
  return new Response(null, {
    status: 303,
    headers: { location: path, 'cache-control': 'private, no-store', 'referrer-policy': 'no-referrer' },
  })
}
