import { createServer, type Socket } from 'node:net'

/** A port on loopback that nobody has a reason to use: whoever connects was lured there. */
export interface Canary {
  port: number
  /** The first bytes of each connection, in order of arrival. */
  visits: string[]
  stop(): Promise<void>
}

/** On both address families, so that every way to write "this machine" arrives. */
export async function startCanary(): Promise<Canary> {
  const visits: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    const index = visits.push('') - 1
    socket.on('data', data => {
      visits[index] += data.toString('latin1').slice(0, 500)
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
    })
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '::', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The canary has no port.')
  return {
    port: address.port,
    visits,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
