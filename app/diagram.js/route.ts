import { drawDiagrams, loadLibrary } from '@/lib/diagrams/diagram-frame'
import { frameFile } from '@/lib/http/frame-file'

export const dynamic = 'force-static'

export function GET(): Response {
  const text = `(${loadLibrary})(self, () => (${drawDiagrams})(self, self.mermaid))\n`
  return frameFile('javascript', text)
}
