import { serviceWorker } from '@/lib/offline/service-worker'

export const dynamic = 'force-static'

/** The function as text. Browsers compare it, and the build's name makes each build a new version. */
export function GET(): Response {
  const text = `(${serviceWorker})(self, ${JSON.stringify(process.env.BUILD_NAME ?? '')})\n`
  return new Response(text, {
    headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' },
  })
}
