import { createServer, type Socket } from 'node:net'
import pg from 'pg'
import { listen } from '../support/listen'

/** A connection's first message has no type; these numbers are in the place of the protocol version. */
const SSL_REQUEST = 80_877_103
const CANCEL_REQUEST = 80_877_102
const QUERY = 'Q'.charCodeAt(0)
const SYNC = 'S'.charCodeAt(0)
const TERMINATE = 'X'.charCodeAt(0)
const READY_FOR_QUERY = 'Z'.charCodeAt(0)
const IDLE = 'I'.charCodeAt(0)

const AUTHENTICATION_OK = message('R', [0, 0, 0, 0])
const READY = message('Z', [IDLE])

/** A connection to the database that runs one transaction after another. */
interface Session {
  stream: Socket
  /** The server's parameters that a client receives when it connects. */
  greeting: Buffer
  user: Client | null
  /** Outstanding answers: of several queries sent at once, each ends with a "ready". */
  dueCount: number
}

interface Client {
  socket: Socket
  session: Session | null
  /** Sent while no session was free. */
  waiting: Buffer[]
}

export interface Pooler {
  /** Like the given URL, but through the pooler. */
  url: string
  stop(): Promise<void>
}

/**
 * A pooler in transaction mode in front of a database: a client that sends something gets the session that has been
 * idle longest, until its transaction is over. So two statements of one client rarely use the same session, and
 * whatever one leaves there (a prepared statement, a setting, a lock) is missing from the next.
 */
export async function startPooler(databaseUrl: string, sessionCount: number): Promise<Pooler> {
  const sessions = new Set<Session>()
  const free: Session[] = []
  const queue: Client[] = []
  const clients = new Set<Client>()

  async function addSession() {
    const session = await openSession(databaseUrl)
    sessions.add(session)
    const read = messages(({ type, body, whole }) => {
      session.user?.socket.write(whole)
      if (type !== READY_FOR_QUERY) return
      session.dueCount -= 1
      if (session.dueCount === 0 && body[0] === IDLE) release(session)
    })
    session.stream.on('data', read)
    session.stream.on('close', () => {
      sessions.delete(session)
      session.user?.socket.destroy()
    })
    release(session)
  }

  function release(session: Session) {
    if (session.user) session.user.session = null
    session.user = null
    free.push(session)
    serve()
  }

  function serve() {
    while (free.length > 0 && queue.length > 0) {
      const client = queue.shift()
      if (!client || client.socket.destroyed) continue
      const session = free.shift()
      if (!session) return
      client.session = session
      session.user = client
      for (const each of client.waiting.splice(0)) forward(session, each)
    }
  }

  function forward(session: Session, whole: Buffer) {
    if (whole[0] === QUERY || whole[0] === SYNC) session.dueCount += 1
    session.stream.write(whole)
  }

  function accept(socket: Socket) {
    const client: Client = { socket, session: null, waiting: [] }
    clients.add(client)
    const read = messages(({ type, whole }) => {
      if (type === TERMINATE) return socket.end()
      if (client.session) return forward(client.session, whole)
      if (client.waiting.push(whole) === 1) queue.push(client)
      serve()
    })
    const [any] = sessions
    greet(socket, any?.greeting ?? Buffer.alloc(0), read)
    socket.on('error', () => {})
    socket.on('close', () => {
      clients.delete(client)
      // The client left in the middle of a transaction, which must not be passed on to another.
      if (!client.session) return
      client.session.stream.destroy()
      void addSession()
    })
  }

  await Promise.all(Array.from({ length: sessionCount }, addSession))
  const { port, stop } = await listen(createServer({ noDelay: true }, accept))
  return {
    url: `postgres://anybody@127.0.0.1:${port}/database`,
    async stop() {
      for (const { socket } of clients) socket.removeAllListeners('close').destroy()
      for (const { stream } of sessions) stream.destroy()
      await stop()
    },
  }
}

/** The driver signs in, and then its connection is taken over. */
async function openSession(url: string): Promise<Session> {
  const client = new pg.Client({ connectionString: url })
  const { connection } = client as unknown as { connection: pg.Connection & { stream: Socket } }
  const parameters: Buffer[] = []
  connection.on('parameterStatus', ({ parameterName, parameterValue }) => {
    parameters.push(message('S', Buffer.from(`${parameterName}\0${parameterValue}\0`)))
  })
  await client.connect()
  for (const event of ['data', 'error', 'close', 'end']) connection.stream.removeAllListeners(event)
  connection.stream.setNoDelay(true)
  connection.stream.on('error', () => {})
  return { stream: connection.stream, greeting: Buffer.concat(parameters), user: null, dueCount: 0 }
}

/** Refuses encryption, and accepts everybody. */
function greet(socket: Socket, greeting: Buffer, read: (chunk: Buffer) => void) {
  let start: Buffer = Buffer.alloc(0)
  const onData = (chunk: Buffer) => {
    start = Buffer.concat([start, chunk])
    if (start.length < 8 || start.length < start.readInt32BE(0)) return
    const code = start.readInt32BE(4)
    if (code === CANCEL_REQUEST) return socket.destroy()
    const rest = start.subarray(start.readInt32BE(0))
    start = rest
    if (code === SSL_REQUEST) return socket.write('N')
    socket.off('data', onData).on('data', read)
    socket.write(Buffer.concat([AUTHENTICATION_OK, greeting, READY]))
    if (rest.length > 0) read(rest)
  }
  socket.on('data', onData)
}

/** Splits a stream into whole messages. */
function messages(handle: (message: { type: number; body: Buffer; whole: Buffer }) => void) {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const whole = rest.subarray(0, rest.readInt32BE(1) + 1)
      rest = rest.subarray(whole.length)
      handle({ type: whole[0] ?? 0, body: whole.subarray(5), whole })
    }
  }
}

function message(type: string, body: ArrayLike<number>): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, Buffer.from(body)])
}
