import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { Duplex } from 'node:stream'
import { listen } from '../support/listen'

/** RFC 6455, section 1.3. */
const HANDSHAKE_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const TEXT = 0x1
const CLOSE = 0x8
const PING = 0x9
const PONG = 0xa
const LENGTH_16_BITS = 126
const LENGTH_64_BITS = 127

export interface WebSocketPeer {
  send(text: string): void
  close(): void
}

/** Text messages over WebSocket on loopback, unfragmented: all that a stand-in for a relay needs. */
export async function startWebSocketServer(
  onConnection: (peer: WebSocketPeer) => { onMessage: (text: string) => void; onClose: () => void },
): Promise<{ url: string; stop: () => Promise<void> }> {
  const sockets = new Set<Duplex>()
  const server = createServer((_request, response) => response.writeHead(426).end())
  server.on('upgrade', (request, socket) => {
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}${HANDSHAKE_GUID}`)
      .digest('base64')
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    )
    sockets.add(socket)
    const peer: WebSocketPeer = {
      send: text => socket.write(encodeFrame(TEXT, Buffer.from(text))),
      close: () => socket.destroy(),
    }
    const handlers = onConnection(peer)
    let buffered = Buffer.alloc(0)
    socket.on('data', chunk => {
      buffered = Buffer.concat([buffered, chunk])
      for (let frame = decodeFrame(buffered); frame; frame = decodeFrame(buffered)) {
        buffered = buffered.subarray(frame.length)
        if (frame.opcode === TEXT) handlers.onMessage(frame.payload.toString('utf8'))
        if (frame.opcode === PING) socket.write(encodeFrame(PONG, frame.payload))
        if (frame.opcode === CLOSE) socket.end(encodeFrame(CLOSE, frame.payload))
      }
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      handlers.onClose()
    })
  })
  const { port, stop } = await listen(server)
  return {
    url: `ws://127.0.0.1:${port}`,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await stop()
    },
  }
}

/** Encodes the length in as few bytes as possible, because browsers refuse anything else. */
function encodeFrame(opcode: number, payload: Buffer): Buffer {
  const first = 0x80 | opcode
  const { length } = payload
  if (length < LENGTH_16_BITS) return Buffer.concat([Buffer.from([first, length]), payload])
  const header = Buffer.alloc(length < 2 ** 16 ? 4 : 10)
  header[0] = first
  header[1] = length < 2 ** 16 ? LENGTH_16_BITS : LENGTH_64_BITS
  if (length < 2 ** 16) header.writeUInt16BE(length, 2)
  else header.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([header, payload])
}

/** Null until a whole frame has arrived. A client's frames are masked. */
function decodeFrame(bytes: Buffer): { opcode: number; payload: Buffer; length: number } | null {
  if (bytes.length < 2) return null
  const short = bytes.readUInt8(1) & 0x7f
  const lengthBytes = short === LENGTH_16_BITS ? 2 : short === LENGTH_64_BITS ? 8 : 0
  const maskStart = 2 + lengthBytes
  if (bytes.length < maskStart + 4) return null
  const payloadLength =
    lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  const length = maskStart + 4 + payloadLength
  if (bytes.length < length) return null
  const mask = bytes.subarray(maskStart, maskStart + 4)
  const payload = bytes.subarray(maskStart + 4, length).map((byte, index) => byte ^ (mask[index % 4] ?? 0))
  return { opcode: bytes.readUInt8(0) & 0x0f, payload: Buffer.from(payload), length }
}
