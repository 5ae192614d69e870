import { openDatabase } from './open-database'

/** A program for lock-directory.test.ts: opens the embedded database and keeps it, or tells why not. */
const [dataDirectory = ''] = process.argv.slice(2)
/** Longer than any test: ended by the test before. */
const KEEP_OPEN_MS = 120_000

try {
  await openDatabase({ url: null, directUrl: null, dataDirectory })
  process.stdout.write('open\n')
  setTimeout(() => {}, KEEP_OPEN_MS)
} catch (error) {
  process.stdout.write(`${error instanceof Error ? `${error.name}: ${error.message}` : error}\n`)
}
