import { createServer } from 'node:http'
import next from 'next'

/** Next behind a plain server, and nothing else. */
const port = Number(process.env.PORT)
const app = next({ dev: false, port })
await app.prepare()
const handle = app.getRequestHandler()
createServer((request, response) => void handle(request, response)).listen(port, () => {
  process.stdout.write(`Ready on http://localhost:${port}\n`)
})
