import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { BENCH_MODEL, type Target } from './exchange-client'

/** A response ends after its content length, or after its last chunk. */
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i
const HEAD_END = '\r\n\r\n'
const LAST_CHUNK = '\r\n0\r\n\r\n'

/**
 * Requests this many complete answers, with this many at a time, each over a persistent connection. It writes directly
 * to the socket, because an HTTP client takes as long for a request as a lean server, on the same cores.
 */
export async function askWhole(target: Target, count: number, parallelCount: number): Promise<void> {
  const request = requestTo(target)
  let left = count
  const work = async () => {
    const socket = connect(target.port, '127.0.0.1').setNoDelay(true).setEncoding('latin1')
    await once(socket, 'connect')
    while (left > 0) {
      left -= 1
      await ask(socket, request)
    }
    socket.destroy()
  }
  await Promise.all(Array.from({ length: parallelCount }, work))
}

function requestTo({ port, creditId }: Target): string {
  const messages = [{ role: 'user', content: 'A whole answer, please.' }]
  const body = JSON.stringify({ model: BENCH_MODEL, messages, max_tokens: 100 })
  const head = [
    'POST /v1/chat/completions HTTP/1.1',
    `host: 127.0.0.1:${port}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `authorization: Bearer ${creditId}`,
  ]
  return head.join('\r\n') + HEAD_END + body
}

function ask(socket: Socket, request: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const broken = () => reject(new Error(`broken off: ${answer}`))
    const read = (text: string) => {
      answer += text
      if (!isWhole(answer)) return
      socket.off('data', read).off('close', broken)
      if (answer.startsWith('HTTP/1.1 200')) resolve()
      else reject(new Error(answer))
    }
    socket.on('data', read).on('close', broken)
    socket.write(request)
  })
}

function isWhole(answer: string): boolean {
  const headEnd = answer.indexOf(HEAD_END)
  if (headEnd < 0) return false
  const length = LENGTH.exec(answer.slice(0, headEnd + 2))?.[1]
  if (length === undefined) return answer.endsWith(LAST_CHUNK)
  return answer.length >= headEnd + HEAD_END.length + Number(length)
}
