import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import pg from 'pg'

/**
 * A baseline: a gateway that knows nothing of money and passes on what the upstream sends. Given the directory of a
 * database's socket, it updates a row before it asks, and another before a complete answer is sent: the least that
 * durable books cost on this disk.
 */
const [, , upstreamPort, socketDirectory] = process.argv
const completionsUrl = `http://127.0.0.1:${upstreamPort}/v1/chat/completions`
const commit = socketDirectory === undefined ? async () => {} : await openBooks(socketDirectory)

const app = new Hono().post('/v1/chat/completions', async context => {
  const body = await context.req.text()
  await commit()
  const answer = await fetch(completionsUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal: context.req.raw.signal,
  })
  const contentType = answer.headers.get('content-type') ?? 'text/event-stream'
  if (contentType.startsWith('application/json')) await commit()
  return new Response(answer.body, { headers: { 'content-type': contentType } })
})

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => process.send?.({ port }))

/** Separate rows, so that no call waits for another's. */
async function openBooks(host: string): Promise<() => Promise<void>> {
  const rowCount = 1_000
  const pool = new pg.Pool({ host, user: 'postgres', database: 'postgres', max: 10 })
  await pool.query('create table booked as select id, 0 as value from generate_series(1, $1) id', [rowCount])
  await pool.query('alter table booked add primary key (id)')
  let count = 0
  return async () => {
    count += 1
    await pool.query('update booked set value = value + 1 where id = $1', [1 + (count % rowCount)])
  }
}
