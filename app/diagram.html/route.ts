import { DIAGRAM_FRAME_HTML } from '@/lib/diagrams/diagram-frame'

export const dynamic = 'force-static'

export function GET(): Response {
  return new Response(DIAGRAM_FRAME_HTML, {
    // Without it, Next lets shared caches keep the frame, and its policy with it, for a year.
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'public, max-age=86400' },
  })
}
