import { WALLET_FRAME_HTML } from '@/lib/payments/client/wallet-frame'

export const dynamic = 'force-static'

export function GET(): Response {
  return new Response(WALLET_FRAME_HTML, { headers: { 'content-type': 'text/html; charset=utf-8' } })
}
