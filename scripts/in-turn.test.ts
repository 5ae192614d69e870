import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { beforeEach, expect, test } from '@jest/globals'
import { inTurn } from './in-turn'

/** Requests as Node hands them over: all that a client has sent on one connection, before any answer. */
class Connection {
  destroyed = false
  readonly #responses = new Map<string, EventEmitter>()

  send(...paths: string[]): void {
    for (const url of paths) {
      const response = new EventEmitter()
      this.#responses.set(url, response)
      listen({ url, socket: this } as unknown as IncomingMessage, response as ServerResponse)
    }
  }

  answer(path: string): void {
    this.#responses.get(path)?.emit('close')
  }

  /** As when the client leaves: all its responses are closed. */
  destroy(): void {
    this.destroyed = true
    for (const response of this.#responses.values()) response.emit('close')
  }
}

const begun: string[] = []
const listen = inTurn(({ url = '' }) => {
  begun.push(url)
})

beforeEach(() => {
  begun.length = 0
})

test('requests that are sent together are begun one after the other', () => {
  const client = new Connection()
  client.send('/first', '/second', '/third')
  expect(begun).toEqual(['/first'])
  client.answer('/first')
  expect(begun).toEqual(['/first', '/second'])
  client.answer('/second')
  expect(begun).toEqual(['/first', '/second', '/third'])
})

test('a later request on the same connection is begun at once', () => {
  const client = new Connection()
  client.send('/first')
  client.answer('/first')
  client.send('/second')
  expect(begun).toEqual(['/first', '/second'])
})

test('another connection does not wait', () => {
  new Connection().send('/first')
  new Connection().send('/second')
  expect(begun).toEqual(['/first', '/second'])
})

test('nothing is begun for a client that has left', () => {
  const client = new Connection()
  client.send('/first', '/second', '/third')
  client.destroy()
  expect(begun).toEqual(['/first'])
})

test('a connection with more requests than any client sends is closed', () => {
  const client = new Connection()
  client.send(...Array.from({ length: 16 }, (_, index) => `/${index}`))
  expect(client.destroyed).toBe(false)
  client.send('/one-too-many')
  expect(client.destroyed).toBe(true)
  expect(begun).toEqual(['/0'])
})
