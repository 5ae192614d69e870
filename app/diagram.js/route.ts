import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { drawDiagrams } from '@/lib/diagrams/diagram-frame'

/** The file is read during the build. */
export const dynamic = 'force-static'

export async function GET(): Promise<Response> {
  const library = await readFile(join(process.cwd(), 'node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js'))
  const text = `${library}\n;(${drawDiagrams})(self, self.mermaid)\n`
  return new Response(text, {
    headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'public, max-age=86400' },
  })
}
