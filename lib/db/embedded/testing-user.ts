import { joinEmbeddedServer } from './server'

/** A program for tests: joins the embedded server of a data directory, and runs until it is killed. */
const [dataDirectory = ''] = process.argv.slice(2)

try {
  const { url } = await joinEmbeddedServer({ dataDirectory })
  process.stdout.write(`${url}\n`)
  setInterval(() => {}, 2 ** 30)
} catch (error) {
  process.stdout.write(`${error instanceof Error ? `${error.name}: ${error.message}` : error}\n`)
}
