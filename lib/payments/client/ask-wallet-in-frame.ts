import { within } from '@/lib/http/domain/within'
import { readWalletConnection } from '../domain/wallet-connection'
import {
  readWalletReply,
  WALLET_FRAME_PATH,
  WALLET_FRAME_READY,
  type WalletQuestion,
  type WalletReply,
  type WalletRequest,
} from './wallet-frame'

const READY_TIMEOUT_MS = 20_000
/** The library waits a minute for the wallet, and up to ten seconds for its relay before that, twice. */
const REPLY_TIMEOUT_MS = 90_000

/** Asks the wallet one question, in a frame that exists only until it is answered. */
export async function askWalletInFrame(connection: string, question: WalletQuestion): Promise<WalletReply> {
  const known = readWalletConnection(connection)
  if (!known) return { kind: 'unreachable' }
  const frame = document.createElement('iframe')
  frame.src = WALLET_FRAME_PATH
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.referrerPolicy = 'no-referrer'
  frame.hidden = true
  frame.title = 'Wallet'
  try {
    const ready = whenReady(frame)
    document.body.append(frame)
    if (!(await within(READY_TIMEOUT_MS, ready))) return { kind: 'unreachable' }
    const { port1, port2 } = new MessageChannel()
    const replied = new Promise<WalletReply>(resolve => {
      port1.onmessage = ({ data }) => resolve(readWalletReply(data))
    })
    const request: WalletRequest = { connection: connection.trim(), relayUrls: known.relayUrls, question }
    // The frame has an opaque origin, which cannot be named here.
    frame.contentWindow?.postMessage(request, '*', [port2])
    return (await within(REPLY_TIMEOUT_MS, replied)) ?? { kind: 'silent' }
  } finally {
    frame.remove()
  }
}

function whenReady(frame: HTMLIFrameElement): Promise<true> {
  return new Promise(resolve => {
    const hear = ({ source, data }: MessageEvent) => {
      if (source === null || source !== frame.contentWindow || data !== WALLET_FRAME_READY) return
      window.removeEventListener('message', hear)
      resolve(true)
    }
    window.addEventListener('message', hear)
  })
}
