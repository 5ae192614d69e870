import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { sql } from 'kysely'
import pg from 'pg'
import { openDatabase } from '../open-database'
import { isLostConnection, retryLostConnection } from '../retry-lost-connection'
import { TestProcess } from '../testing-process'
import { findPostmaster } from './postmaster'
import { type EmbeddedServer, joinEmbeddedServer } from './server'

const POLL_INTERVAL_MS = 5
const RACE_COUNT = 4

/** If root owns it, the user that PostgreSQL runs as cannot enter it. */
let dataDirectory: string
let processes: TestProcess[]
let servers: EmbeddedServer[]
/** An initialized one, since to initialize it takes far longer than to copy it. */
let initialized: string

beforeAll(async () => {
  initialized = await mkdtemp(join(tmpdir(), 'tuppence-embedded-'))
  await (await joinEmbeddedServer({ dataDirectory: initialized })).leave()
})
afterAll(() => rm(initialized, { recursive: true, force: true }))
/** With their owner, who is not root. */
const copyInitialized = () => execFileSync('cp', ['-a', `${initialized}/.`, dataDirectory])

beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'tuppence-embedded-'))
  processes = []
  servers = []
})
afterEach(async () => {
  await Promise.all(processes.map(user => user.kill()))
  await Promise.all(servers.map(server => server.leave()))
  await until(() => !isOn())
  await rm(dataDirectory, { recursive: true, force: true })
})

const folder = () => join(dataDirectory, 'postgres')
const pidFile = () => join(folder(), 'postmaster.pid')
const readPid = () => Number.parseInt(readFileSync(pidFile(), 'utf8'), 10)
const isOn = () => findPostmaster({ directory: folder(), account: null }).isRunning

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(POLL_INTERVAL_MS)
}

async function joinHere(): Promise<EmbeddedServer> {
  const server = await joinEmbeddedServer({ dataDirectory })
  servers.push(server)
  return server
}

async function joinElsewhere(): Promise<TestProcess> {
  const user = new TestProcess('lib/db/embedded/testing-user.ts', [dataDirectory])
  processes.push(user)
  expect(await user.waitForLines(1)).toEqual([expect.stringMatching(/^postgres:/)])
  return user
}

async function leaveAll(): Promise<void> {
  for (const server of servers.splice(0)) await server.leave()
}

async function ask(statement: string, server = servers[0]): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: server?.url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

const KEEP_A_COIN = 'create table coin as select 7 as worth'
const COINS = 'select worth from coin'
const BUSY_UNTIL_TOLD = `do $$ begin
  while (pg_stat_file('enough', true)).size is null loop end loop; end $$`
const IS_BUSY = `select pid from pg_stat_activity where state = 'active' and query like 'do %'`

test('a folder that cannot be written to is named, with what to do', async () => {
  // Not even root makes folders there.
  await expect(joinEmbeddedServer({ dataDirectory: '/sys' })).rejects.toMatchObject({
    name: 'DatabaseError',
    code: 'embedded_failed',
    message: expect.stringMatching(
      /^The database could not be created in \/sys\/postgres \(.*\)\. Set DATA_DIR to a folder that user \d+ may write to, or set DATABASE_URL\.$/,
    ),
  })
})

test('a folder on a disk that is not there is named, with what to do', async () => {
  const link = join(dataDirectory, 'disk')
  await symlink(join(dataDirectory, 'missing', 'disk'), link)
  await expect(joinEmbeddedServer({ dataDirectory: link })).rejects.toMatchObject({
    code: 'embedded_failed',
    message: expect.stringMatching(/ENOENT.*Set DATA_DIR to a folder that user \d+ may write to/),
  })
})

test('a disk without room for a new database is named', () => {
  // A limit on files takes the place of a full disk.
  const limited = ['-c', 'ulimit -f 500; exec "$@"', 'sh', process.execPath, '--conditions=react-server']
  const program = ['--import', 'tsx', 'lib/db/embedded/testing-user.ts', dataDirectory]
  const environment = { ...process.env, NODE_OPTIONS: '' }
  const output = execFileSync('sh', [...limited, ...program], { encoding: 'utf8', env: environment })
  expect(output).toMatch(/^DatabaseError: The database could not be created in .* \(.*: File too large\)\.$/m)
})

describe('the embedded server', () => {
  test('starts on demand, listens on no TCP address, and stops when the last user leaves', async () => {
    const server = await joinHere()
    expect(await ask('show listen_addresses', server)).toEqual([{ listen_addresses: '' }])
    expect(await ask('show fsync', server)).toEqual([{ fsync: 'on' }])
    expect((await stat(folder())).mode & 0o777).toBe(0o700)
    expect(isOn()).toBe(true)
    await leaveAll()
    expect(isOn()).toBe(false)
  })

  test('is shared by all processes, and stays while any of them uses it', async () => {
    copyInitialized()
    const first = await joinElsewhere()
    const pid = readPid()
    const server = await joinHere()
    await joinHere()
    await servers.pop()?.leave()
    await first.kill()
    expect(readPid()).toBe(pid)
    expect(await ask('select 1 as one', server)).toEqual([{ one: 1 }])
  })

  test.each([
    ['initialized', false],
    ['started', true],
  ])('is %s once by many parallel starts', async (_verb, isMade) => {
    if (isMade) copyInitialized()
    await Promise.all(Array.from({ length: RACE_COUNT }, joinHere))
    const startTime = 'select pg_postmaster_start_time()::text as at'
    const starts = await Promise.all(servers.map(server => ask(startTime, server)))
    expect(new Set(starts.map(rows => JSON.stringify(rows))).size).toBe(1)
    expect(readdirSync(dataDirectory)).toEqual(['postgres', 'postgres.log'])
  })

  test('a directory of another user is refused, with what to change', async () => {
    copyInitialized()
    const user = jest.spyOn(process, 'getuid').mockReturnValue(Number(process.getuid?.()) + 1)
    const joining = expect(joinHere()).rejects.toMatchObject({
      code: 'embedded_failed',
      // Beside it is its log, which has to change hands as well.
      message: expect.stringContaining(
        `make the current user the owner of all of ${dataDirectory} (chown -R)`,
      ),
    })
    await joining.finally(() => user.mockRestore())
  })

  test('a backup that lost its permissions is started all the same', async () => {
    copyInitialized()
    await ask(KEEP_A_COIN, await joinHere())
    await leaveAll()
    await chmod(folder(), 0o755)
    expect(await ask(COINS, await joinHere())).toEqual([{ worth: 7 }])
    expect((await stat(folder())).mode & 0o777).toBe(0o700)
  })

  test.each(['postgresql.conf', 'global/pg_control'])(
    'a backup without %s is refused at once, with the reason',
    async file => {
      copyInitialized()
      await rm(join(folder(), file))
      await expect(joinHere()).rejects.toMatchObject({
        code: 'embedded_failed',
        message: expect.stringMatching(/ did not start: FATAL: could not /),
      })
    },
  )

  test('is initialized again if the first start was interrupted', async () => {
    const unfinished = join(dataDirectory, 'postgres-unfinished-x')
    await mkdir(unfinished)
    await writeFile(join(unfinished, 'PG_VERSION'), '18')
    await joinHere()
    expect(readdirSync(dataDirectory)).toEqual(['postgres', 'postgres.log'])
  })

  test('works in a path that is too long for a socket', async () => {
    const outer = dataDirectory
    dataDirectory = join(outer, 'long'.repeat(30))
    try {
      const server = await joinHere()
      expect(await ask('select 1 as one', server)).toEqual([{ one: 1 }])
      await leaveAll()
    } finally {
      dataDirectory = outer
    }
  })

  test.each([
    ['does not start', { shared_buffers: 'many' }, 'invalid value for parameter "shared_buffers"'],
    [
      'runs, but takes no connection, as on a full disk',
      { session_preload_libraries: 'missing' },
      'could not access file "missing": No such file or directory',
    ],
  ])('reports why it %s', async (_, settings, reason) => {
    copyInitialized()
    await expect(joinEmbeddedServer({ dataDirectory, settings })).rejects.toMatchObject({
      code: 'embedded_failed',
      message: expect.stringContaining(reason),
    })
  })

  test('does not touch an earlier version’s database, and says what to do', async () => {
    const earlier = join(dataDirectory, 'pglite')
    await mkdir(earlier)
    await writeFile(join(earlier, 'PG_VERSION'), '17')
    await expect(joinHere()).rejects.toMatchObject({
      code: 'earlier_database',
      message: expect.stringContaining(`mv ${earlier} ${earlier}-old`),
    })
    await rename(earlier, `${earlier}-old`)
    await joinHere()
    expect(await readFile(join(`${earlier}-old`, 'PG_VERSION'), 'utf8')).toBe('17')
  })
})

describe('when processes are killed', () => {
  beforeEach(() => void copyInitialized())

  test('the server stops with the last user, and the next start has everything committed', async () => {
    const user = await joinElsewhere()
    await ask(KEEP_A_COIN, await joinHere())
    await leaveAll()
    await user.kill()
    await until(() => !isOn())
    expect(await ask(COINS, await joinHere())).toEqual([{ worth: 7 }])
  })

  test('a start joins a server that is stopping, or starts it again', async () => {
    const user = await joinElsewhere()
    await ask(KEEP_A_COIN, await joinHere())
    await leaveAll()
    await user.kill()
    const next = await joinHere()
    expect(await retryLostConnection(() => next.revive().then(() => ask(COINS, next)))).toEqual([
      { worth: 7 },
    ])
  })

  test('a start does not wait for a stopping server with open sessions', async () => {
    const server = await joinHere()
    const session = new pg.Client({ connectionString: server.url })
    session.on('error', () => {})
    await session.connect()
    process.kill(readPid(), 'SIGTERM')
    const next = await joinHere()
    expect(await ask('select 1 as one', next)).toEqual([{ one: 1 }])
    await session.end()
  })

  test('a process whose server was killed restarts it, and repeats reads but no transaction', async () => {
    const { kysely, close } = await openDatabase({ url: null, directUrl: null, dataDirectory })
    const listMigrations = () => kysely.selectFrom('schema_migration').select('name').execute()
    const before = await listMigrations()
    const write = kysely.transaction().execute(async transaction => {
      await transaction.insertInto('schema_migration').values({ name: 'never' }).execute()
      const asleep = sql`select pg_sleep(600)`.execute(transaction)
      process.kill(readPid(), 'SIGKILL')
      await asleep
    })
    expect(isLostConnection(await write.catch(error => error))).toBe(true)
    expect(await retryLostConnection(listMigrations)).toEqual(before)
    await close()
  })

  test('killing user and server together does not block the next start', async () => {
    const user = await joinElsewhere()
    const server = await joinHere()
    await ask(KEEP_A_COIN, server)
    await leaveAll()
    process.kill(readPid(), 'SIGKILL')
    await user.kill()
    expect(await ask(COINS, await joinHere())).toEqual([{ worth: 7 }])
  })

  const onLinux = process.platform === 'linux' ? test : test.skip
  onLinux('a start waits for a server that cannot be seen, as that of another container', async () => {
    const server = await joinHere()
    await leaveAll()
    const rival = spawn('sh', ['-c', 'exec flock rival.lock cat'], { cwd: folder(), stdio: 'pipe' })
    rival.stdin.write('locked\n')
    await once(rival.stdout, 'data')
    const next = joinHere()
    await until(() => readFileSync(`${folder()}.log`, 'utf8').includes('still in use'))
    expect(() => readPid()).toThrow()
    rival.stdin.end()
    expect((await next).url).toBe(server.url)
    expect(await ask('select 1 as one', await next)).toEqual([{ one: 1 }])
  })

  test('a start waits for a session that has not noticed the death of its server', async () => {
    const session = new pg.Client({ connectionString: (await joinHere()).url })
    session.on('error', () => {})
    await session.connect()
    const busy = session.query(BUSY_UNTIL_TOLD).catch(() => {})
    await until(async () => (await ask(IS_BUSY)).length > 0)
    process.kill(readPid(), 'SIGKILL')
    const next = joinHere()
    await until(() => readFileSync(`${folder()}.log`, 'utf8').includes('still in use'))
    await writeFile(join(folder(), 'enough'), '')
    expect(await ask('select 1 as one', await next)).toEqual([{ one: 1 }])
    await busy
    await session.end()
  })

  test('a zombie process of a dead server does not count as running', async () => {
    const parent = await joinElsewhere()
    const pid = readPid()
    process.kill(parent.pid, 'SIGSTOP')
    process.kill(pid, 'SIGKILL')
    const server = await joinHere()
    expect(readPid()).not.toBe(pid)
    // Its process id is still in use.
    expect(() => process.kill(pid, 0)).not.toThrow()
    expect(await ask('select 1 as one', server)).toEqual([{ one: 1 }])
  })

  test('another program with the dead server’s process id does not count as the server', async () => {
    const user = await joinElsewhere()
    const { uid, gid } = await stat(folder())
    const other = spawn('sleep', ['600'], { uid, gid, stdio: 'ignore' })
    try {
      const text = readFileSync(pidFile(), 'utf8')
      process.kill(readPid(), 'SIGKILL')
      await user.kill()
      await writeFile(pidFile(), text.replace(/^\d+/, String(other.pid)))
      const server = await joinHere()
      expect(await ask('select 1 as one', server)).toEqual([{ one: 1 }])
      expect(other.exitCode).toBe(null)
    } finally {
      other.kill()
      await once(other, 'exit')
    }
  })
})
