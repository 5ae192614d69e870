import { serve } from '@hono/node-server'
import { Hono } from 'hono'

/** A floor: what a gateway costs that knows nothing of money and hands on what the upstream says. */
const [, , upstreamPort] = process.argv
const completionsUrl = `http://127.0.0.1:${upstreamPort}/v1/chat/completions`

const app = new Hono().post('/v1/chat/completions', async context => {
  const answer = await fetch(completionsUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: await context.req.text(),
    signal: context.req.raw.signal,
  })
  const contentType = answer.headers.get('content-type') ?? 'text/event-stream'
  return new Response(answer.body, { headers: { 'content-type': contentType } })
})

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => process.send?.({ port }))
