import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { frameFile } from '@/lib/http/frame-file'
import { runWalletFrame } from '@/lib/payments/client/wallet-frame'

/** The file is read during the build. */
export const dynamic = 'force-static'

export async function GET(): Promise<Response> {
  const library = await readFile(
    join(process.cwd(), 'node_modules/@getalby/sdk/dist/alby-sdk.umd.js'),
    'utf8',
  )
  // Drops the reference to a source map, which is not served.
  const text = `${library.replace(/^\/\/# sourceMappingURL=.*$/m, '')}\n;(${runWalletFrame})(self, self.AlbySdk)\n`
  return frameFile('javascript', text)
}
