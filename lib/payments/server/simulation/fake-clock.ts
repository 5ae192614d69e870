import 'server-only'
import { openTestSession } from '@/lib/db/testing-session'

/** A clock for a database and for everything around it. */
export interface FakeClock {
  /** For connections whose `now()` is this clock. */
  url: string
  nowSeconds(): number
  advance(seconds: number): Promise<void>
  close(): Promise<void>
}

/**
 * Replaces the database's clock with a `now()` in a schema that is searched before PostgreSQL's own. Columns that
 * default to `now()` keep the real time; no decision depends on them.
 */
export async function installFakeClock(databaseUrl: string): Promise<FakeClock> {
  const session = await openTestSession(databaseUrl)
  await session.run('create schema fake_clock')
  await session.run('create table fake_clock.ahead as select 0 as seconds')
  await session.run(`
    create function fake_clock.now() returns timestamptz language sql stable as
      'select pg_catalog.now() + make_interval(secs => seconds) from fake_clock.ahead'`)
  const url = new URL(databaseUrl)
  url.searchParams.set('options', '-c search_path=fake_clock,pg_catalog,public')
  let ahead = 0
  return {
    url: url.href,
    nowSeconds: () => Math.floor(Date.now() / 1000) + ahead,
    async advance(seconds) {
      ahead += seconds
      await session.run('update fake_clock.ahead set seconds = $1', [ahead])
    },
    close: () => session.close(),
  }
}
