import { describe, expect, test } from '@jest/globals'
import { turns, until } from '@/test/support/exchange-world'
import {
  ANSWER_BYTES,
  answerEvents,
  answerWith,
  errorReply,
  hangUntilCut,
  proxyReply,
  runScripted,
  SCRIPT_RESUME_NAME,
  type ScriptedReply,
  silentMidway,
  wholeReply,
} from '@/test/support/scripted-exchange'

describe('a stop', () => {
  const stopped = (fields: object = {}) =>
    Response.json({ id: 'exchange-1', object: 'exchange.stopped', stopped: true, ...fields })
  const begun = () => Response.json({ id: 'exchange-1', object: 'exchange.stopped', stopped: false })

  /** A stream of which a part has come; the rest comes when the test sends it. */
  function halfRead(stop: ScriptedReply) {
    let send: (text: string) => void = () => {}
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(ANSWER_BYTES.slice(0, 60))
        send = text => {
          controller.enqueue(new TextEncoder().encode(text))
          controller.close()
        }
      },
    })
    const page = runScripted({ read: () => answerWith(body), stop })
    return { ...page, send: (text: string) => send(text) }
  }

  test('is sent once, and takes its exact price from the last event, which may come later', async () => {
    const page = halfRead(() => stopped({ cost: 0.00009, balance_usd: 0.91 }))
    await until(() => page.phases.includes('streaming'))
    page.stop()
    page.stop()
    await until(() => page.phases.includes('stopped'))
    page.send(`\n\n${answerEvents(5)}`)
    const { status, answer } = await page.ended
    expect([status, answer.receipt?.cost_usd, answer.balanceUsd]).toEqual(['stopped', '0.0001', '0.9'])
    expect(page.methods()).toEqual(['POST', 'DELETE'])
  })

  test('shows the charge so far from the reply to the stop', async () => {
    const page = halfRead(() => stopped({ cost: 0.00009 }))
    await until(() => page.phases.includes('streaming'))
    page.stop()
    await until(() => page.phases.includes('stopped'))
    page.send('\n\nid: 9\ndata: [DONE]\n\n')
    await expect(page.ended).resolves.toMatchObject({
      status: 'stopped',
      answer: { receipt: { cost_usd: '0.00009' } },
    })
  })

  test('that came too late is followed by the whole answer', async () => {
    const page = halfRead(begun)
    await until(() => page.phases.includes('streaming'))
    page.stop()
    await until(() => page.phases.includes('finishing'))
    page.send(`\n\nid: 5\ndata: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\nid: 6\ndata: [DONE]\n\n`)
    await expect(page.ended).resolves.toMatchObject({ status: 'completed' })
    expect(page.methods()).toEqual(['POST', 'DELETE'])
  })

  test('of a picture before it is made costs nothing', async () => {
    const page = runScripted({
      kind: 'image',
      read: (call, init) => (call === 0 ? hangUntilCut(init) : errorReply('not_found', 404)),
      stop: () => stopped({ cost: 0, balance_usd: 1 }),
    })
    await until(() => page.calls.length === 1)
    page.stop()
    await until(() => page.phases.includes('stopped'))
    page.endGrace()
    await expect(page.ended).resolves.toMatchObject({
      status: 'stopped',
      error: null,
      answer: { imageUrls: [], receipt: { cost_usd: '0' } },
    })
    expect(page.methods()).toEqual(['POST', 'DELETE', 'GET'])
    expect(page.exchangeIds).toEqual(['exchange-1'])
  })

  test('of a picture that is being made says so, and shows it when it arrives', async () => {
    const arrival = Promise.withResolvers<Response>()
    const page = runScripted({ kind: 'image', read: () => arrival.promise, stop: begun })
    await until(() => page.calls.length === 1)
    page.stop()
    await until(() => page.phases.includes('finishing'))
    arrival.resolve(wholeReply.image())
    await expect(page.ended).resolves.toMatchObject({
      status: 'completed',
      answer: { imageUrls: [expect.stringContaining('data:image/png')], receipt: { cost_usd: '0.04' } },
    })
    expect(page.methods()).toEqual(['POST', 'DELETE'])
  })

  test('whose picture is charged and then lost says that it is lost', async () => {
    const page = runScripted({
      kind: 'image',
      read: (call, init) => (call === 0 ? hangUntilCut(init) : errorReply('not_found', 404)),
      stop: begun,
    })
    await until(() => page.calls.length === 1)
    page.stop()
    await until(() => page.phases.includes('finishing'))
    page.wakeAt(60_000)
    await expect(page.ended).resolves.toMatchObject({ status: 'failed', error: { code: 'rest_lost' } })
  })

  test('without a known price is not shown as free', async () => {
    const page = runScripted({
      kind: 'image',
      read: (call, init) => (call === 0 ? hangUntilCut(init) : errorReply('not_found', 404)),
      stop: () => stopped(),
    })
    await until(() => page.calls.length === 1)
    page.stop()
    await until(() => page.phases.includes('stopped'))
    page.endGrace()
    await expect(page.ended).resolves.toMatchObject({ status: 'failed', error: { code: 'rest_lost' } })
  })

  test('is confirmed by its own reply, even if the rest of the stream is read first', async () => {
    const arrival = Promise.withResolvers<Response>()
    const reply = Promise.withResolvers<Response>()
    const page = runScripted({ kind: 'image', read: () => arrival.promise, stop: () => reply.promise })
    await until(() => page.calls.length === 1)
    page.stop()
    arrival.resolve(errorReply('conflict', 409))
    await until(() => page.calls.length === 2)
    await new Promise(setImmediate)
    reply.resolve(stopped({ cost: 0 }))
    await expect(page.ended).resolves.toMatchObject({ status: 'stopped', error: null })
  })

  test('that is confirmed after the end changes nothing', async () => {
    const arrival = Promise.withResolvers<Response>()
    const reply = Promise.withResolvers<Response>()
    const page = runScripted({ kind: 'image', read: () => arrival.promise, stop: () => reply.promise })
    await until(() => page.calls.length === 1)
    page.stop()
    arrival.resolve(wholeReply.image())
    await expect(page.ended).resolves.toMatchObject({ status: 'completed' })
    reply.resolve(stopped({ cost: 0 }))
    await turns(5)
    expect(page.phases).not.toContain('stopped')
  })

  test('before the server has answered uses the name made from the resume key', async () => {
    const arrival = Promise.withResolvers<Response>()
    const page = runScripted({ read: () => arrival.promise, stop: () => stopped() })
    await until(() => page.calls.length === 1)
    page.stop()
    await until(() => page.calls.length === 2)
    arrival.resolve(answerWith(answerEvents(5)))
    await expect(page.ended).resolves.toMatchObject({ status: 'stopped' })
    expect(page.calls[1]).toMatchObject({
      method: 'DELETE',
      path: `/v1/chat/completions/${SCRIPT_RESUME_NAME}`,
    })
  })

  test('is repeated while the server does not know the call yet, or the reply is lost', async () => {
    const arrival = Promise.withResolvers<Response>()
    const replies = [
      () => errorReply('not_found', 404),
      () => new TypeError('lost'),
      () => stopped({ cost: 0 }),
    ]
    const page = runScripted({ read: () => arrival.promise, stop: call => replies[call]?.() ?? proxyReply() })
    await until(() => page.calls.length === 1)
    page.stop()
    await until(() => page.phases.includes('stopped'))
    arrival.resolve(answerWith(answerEvents(5)))
    await expect(page.ended).resolves.toMatchObject({ status: 'stopped' })
    expect(page.methods()).toEqual(['POST', 'DELETE', 'DELETE', 'DELETE'])
  })

  test('is repeated if nothing is heard of it', async () => {
    const arrival = Promise.withResolvers<Response>()
    const page = runScripted({
      read: () => arrival.promise,
      stop: (call, init) => (call === 0 ? hangUntilCut(init) : stopped({ cost: 0 })),
    })
    await until(() => page.calls.length === 1)
    page.stop()
    await until(() => page.calls.length === 2)
    page.endGrace()
    await until(() => page.phases.includes('stopped'))
    arrival.resolve(answerWith(answerEvents(5)))
    await expect(page.ended).resolves.toMatchObject({ status: 'stopped' })
    expect(page.methods()).toEqual(['POST', 'DELETE', 'DELETE'])
  })

  test('that never reaches the server does not send the request again', async () => {
    const page = runScripted({
      read: (call, init) => (call === 0 ? hangUntilCut(init) : errorReply('not_found', 404)),
    })
    await until(() => page.calls.length === 1)
    page.stop()
    page.wakeAt(60_000)
    await expect(page.ended).resolves.toMatchObject({ status: 'failed', error: { code: 'connection_lost' } })
    expect(page.methods().filter(method => method === 'POST')).toHaveLength(1)
  })

  test('trusts a silent connection only for a limited time', async () => {
    const page = runScripted({
      read: silentMidway,
      stop: () => stopped(),
    })
    await until(() => page.phases.includes('streaming'))
    page.stop()
    await until(() => page.phases.includes('stopped'))
    page.endGrace()
    await expect(page.ended).resolves.toMatchObject({
      status: 'stopped',
      answer: { receipt: { cost_usd: '0.0001' } },
    })
    expect(page.methods()).toEqual(['POST', 'DELETE', 'GET'])
  })

  test('is repeated after a reload', async () => {
    const page = runScripted({
      kind: 'image',
      read: wholeReply.image,
      stop: begun,
      input: { exchangeId: 'exchange-1', isSent: true, isStopped: true },
    })
    await expect(page.ended).resolves.toMatchObject({ status: 'completed' })
    expect(page.methods().sort()).toEqual(['DELETE', 'GET'])
  })

  test('reaches the server even if the page is left (keepalive)', async () => {
    const inits: RequestInit[] = []
    const page = runScripted({
      read: (_, init) => hangUntilCut(init),
      stop: (_, init) => {
        inits.push(init)
        return begun()
      },
    })
    await until(() => page.calls.length === 1)
    page.stop()
    await until(() => inits.length === 1)
    expect(inits[0]).toMatchObject({ method: 'DELETE', keepalive: true })
  })
})
