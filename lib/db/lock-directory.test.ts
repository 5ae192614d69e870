import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { lockDirectory } from './lock-directory'
import { openDatabase } from './open-database'
import { describeProcess } from './process-mark'
import { TestProcess } from './testing-process'

const PROCESS_TIMEOUT_MS = 90_000
/** Above every system's largest process number. */
const DEAD_PID = 2 ** 30
const OPENER = 'lib/db/testing-opener.ts'

let parent: string
let directory: string
let lockPath: string

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'tuppence-lock-'))
  directory = join(parent, 'pglite')
  lockPath = `${directory}.lock`
})
afterEach(() => rm(parent, { recursive: true, force: true }))

describe('the lock beside an embedded database', () => {
  test('is refused to a second opener in the same process, until the first lets go', async () => {
    const lock = await lockDirectory(directory)
    await expect(lockDirectory(directory)).rejects.toMatchObject({
      name: 'DatabaseError',
      code: 'directory_in_use',
      message: expect.stringContaining(String(process.pid)),
    })
    await lock.release()
    const next = await lockDirectory(directory)
    await next.release()
  })

  test('is refused while its process lives, naming it', async () => {
    await writeFile(lockPath, JSON.stringify(await describeProcess(process.ppid)))
    await expect(lockDirectory(directory)).rejects.toMatchObject({
      code: 'directory_in_use',
      message: expect.stringContaining(`process ${process.ppid}`),
    })
    expect(await readdir(parent)).toEqual(['pglite.lock'])
  })

  test.each([
    ['whose process is gone', JSON.stringify({ pid: DEAD_PID, startedAt: null })],
    ['whose number a later process was given', JSON.stringify({ pid: 1, startedAt: 'another boot:1' })],
    ['left by an earlier process with our number', JSON.stringify({ pid: process.pid, startedAt: 'then:1' })],
    ['that was cut off while it was written', '{"pid":'],
    ['that names no process', '{"pid":"many"}'],
  ])('is reaped where it is one %s', async (_name, text) => {
    await writeFile(lockPath, text)
    const lock = await lockDirectory(directory)
    expect(JSON.parse(await readFile(lockPath, 'utf8'))).toMatchObject({ pid: process.pid })
    expect(await readdir(parent)).toEqual(['pglite.lock'])
    await lock.release()
    expect(await readdir(parent)).toEqual([])
  })

  test(
    'makes the second start on one directory refuse, and a third work once the first was killed',
    async () => {
      const first = new TestProcess(OPENER, [parent])
      expect(await first.waitForLines(1)).toEqual(['open'])

      const second = new TestProcess(OPENER, [parent])
      const [refusal] = await second.waitForLines(1)
      expect(refusal).toContain('DatabaseError')
      expect(refusal).toContain(`process ${first.pid}`)
      await second.kill()

      await first.kill()
      const database = await openDatabase({ url: null, directUrl: null, dataDirectory: parent })
      expect(await database.kysely.selectFrom('account').select('id').execute()).toHaveLength(5)
      await database.close()
      expect(await readdir(parent)).toEqual(['pglite'])
    },
    PROCESS_TIMEOUT_MS,
  )
})
