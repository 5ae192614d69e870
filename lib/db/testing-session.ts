import 'server-only'
import pg from 'pg'

/** A connection of a test's own, beside the pool under test: for locks, faults and clocks. */
export interface TestSession {
  run(statement: string, parameters?: readonly unknown[]): Promise<void>
  close(): Promise<void>
}

export async function openTestSession(url: string): Promise<TestSession> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    async run(statement, parameters = []) {
      await client.query(statement, [...parameters])
    },
    close: () => client.end(),
  }
}
