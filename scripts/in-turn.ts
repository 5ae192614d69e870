import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'

/** No client of today sends a second request before the answer to the first, and old ones sent ten. */
const UNANSWERED_COUNT_MAX = 16

/**
 * Has the requests of a connection answered one after the other. By HTTP, a client may send any number of them at once
 * and read no answer. Node would begin all of these, and keep every answer in memory until the client reads it.
 *
 * A connection with too many unanswered requests is closed. If a client leaves, its other requests are not begun.
 */
export function inTurn(listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, (() => void)[]>()
  return (request, response) => {
    const { socket } = request
    const begins = waiting.get(socket) ?? []
    waiting.set(socket, begins)
    if (begins.length === UNANSWERED_COUNT_MAX) return void socket.destroy()
    const begin = () => listener(request, response)
    begins.push(begin)
    response.once('close', () => {
      begins.shift()
      if (!socket.destroyed) begins[0]?.()
    })
    if (begins[0] === begin) begin()
  }
}
