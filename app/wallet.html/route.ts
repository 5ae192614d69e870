import { frameFile } from '@/lib/http/frame-file'
import { WALLET_FRAME_HTML } from '@/lib/payments/client/wallet-frame'

export const dynamic = 'force-static'

export function GET(): Response {
  return frameFile('html', WALLET_FRAME_HTML)
}
