import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { BENCH_MODEL } from './exchange-client'

/** The least that an upstream can be, so that the upstream itself is not measured. */
const MODEL = {
  id: BENCH_MODEL,
  name: 'Bench',
  context_length: 128_000,
  architecture: { input_modalities: ['text'], output_modalities: ['text'] },
  pricing: { prompt: '0.000001', completion: '0.000002' },
  top_provider: { max_completion_tokens: 16_384 },
}
const ORDER = /timed (\{[^}]*\})/
const HEAD = `data: {"id":"gen-bench","object":"chat.completion.chunk","created":1760000000,"model":"${BENCH_MODEL}","choices":[{"index":0,"delta":{"content":"`
const TAIL = '"},"logprobs":null,"finish_reason":null}]}\n\n'
const usage = (count: number) => ({ prompt_tokens: 20, completion_tokens: count, total_tokens: 20 + count })

function whole(response: ServerResponse): void {
  const message = { role: 'assistant', content: `A whole answer: ${process.hrtime.bigint()}` }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  json(response, {
    id: 'gen-bench',
    object: 'chat.completion',
    created: 1,
    model: BENCH_MODEL,
    choices,
    usage: usage(8),
  })
}

function stream(response: ServerResponse, count: number, intervalMs: number): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const end = `data: {"id":"gen-bench","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"id":"gen-bench","choices":[],"usage":${JSON.stringify(usage(count))}}\n\ndata: [DONE]\n\n`
  let sentCount = 0
  const send = () => {
    if (response.destroyed) return
    if (sentCount === count) return void response.end(end)
    sentCount += 1
    const hasRoom = response.write(`${HEAD}${process.hrtime.bigint()}${TAIL}`)
    if (intervalMs > 0) setTimeout(send, intervalMs)
    else if (hasRoom) setImmediate(send)
    else response.once('drain', send)
  }
  send()
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url?.endsWith('/models')) return json(response, { data: [MODEL] })
  const body = await text(request)
  if (!body.includes('"stream":true')) return whole(response)
  const order = JSON.parse((ORDER.exec(body)?.[1] ?? '{}').replaceAll('\\"', '"'))
  stream(response, Number(order.count ?? 3), Number(order.intervalMs ?? 0))
}

function json(response: ServerResponse, value: unknown): void {
  const bytes = Buffer.from(JSON.stringify(value))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes)
}

const server = createServer((request, response) => void answer(request, response))
server.keepAliveTimeout = 65_000
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
