import 'server-only'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { listen } from './listen'

/** Both ends of a response whose headers have arrived and whose body the test writes. */
export interface OpenResponse {
  upstream: ServerResponse
  response: IncomingMessage
  close(): Promise<void>
}

/** Over real HTTP on loopback; the reading end is paused. */
export async function openResponse(): Promise<OpenResponse> {
  const server = createServer()
  const { port, stop: close } = await listen(server)
  const asked = once(server, 'request')
  const call = request({ port, host: '127.0.0.1' }).end()
  const upstream: ServerResponse = (await asked)[1]
  upstream.flushHeaders()
  const response: IncomingMessage = (await once(call, 'response'))[0]
  response.pause()
  response.on('error', () => {})
  return { upstream, response, close }
}
