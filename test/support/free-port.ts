import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Above the well-known ones and 10080, which browsers refuse, and below those that systems give to connections: one of
 * these could come first.
 */
const PORT_MIN = 11_000
const PORT_COUNT = 20_000

/** A port of this machine that nothing listens on. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORT_MIN + Math.floor(Math.random() * PORT_COUNT)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
