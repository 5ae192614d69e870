import { drawDiagrams, loadLibrary } from '@/lib/diagrams/diagram-frame'

export const dynamic = 'force-static'

export function GET(): Response {
  const text = `(${loadLibrary})(self, () => (${drawDiagrams})(self, self.mermaid))\n`
  return new Response(text, {
    headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'public, max-age=86400' },
  })
}
