import { serviceWorker } from '@/lib/offline/service-worker'

export const dynamic = 'force-static'

/** The text of the function: browsers compare it, and a new build is another one. */
export function GET(): Response {
  const text = `(${serviceWorker})(self, ${JSON.stringify(process.env.BUILD_NAME ?? '')})\n`
  return new Response(text, {
    headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' },
  })
}
