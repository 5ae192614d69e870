import { DIAGRAM_FRAME_HTML } from '@/lib/diagrams/diagram-frame'
import { frameFile } from '@/lib/http/frame-file'

export const dynamic = 'force-static'

export function GET(): Response {
  return frameFile('html', DIAGRAM_FRAME_HTML)
}
