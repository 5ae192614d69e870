import { createServer } from 'node:net'
import { listen } from './listen'

/** A port of this machine that nothing listens on. */
export async function freePort(): Promise<number> {
  const { port, stop } = await listen(createServer())
  await stop()
  return port
}
