import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

/** Starts a server on this machine, at a free port unless one is given. */
export async function listen(
  server: Server | HttpServer,
  { port = 0, host = '127.0.0.1' }: { port?: number; host?: string } = {},
): Promise<{ port: number; stop: () => Promise<void> }> {
  await new Promise<void>(resolve => server.listen(port, host, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        if ('closeAllConnections' in server) server.closeAllConnections()
      }),
  }
}
