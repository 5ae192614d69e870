import { DIAGRAM_FRAME_HTML } from '@/lib/diagrams/diagram-frame'

export const dynamic = 'force-static'

export function GET(): Response {
  return new Response(DIAGRAM_FRAME_HTML, { headers: { 'content-type': 'text/html; charset=utf-8' } })
}
