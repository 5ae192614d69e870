import { mkdtemp, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from '@jest/globals'
import { createFileCatalogueStore } from './create-file-catalogue-store'

let directory: string
let messages: string[]

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'catalogue-'))
  messages = []
})

const create = (at = directory) => createFileCatalogueStore(at, message => messages.push(message))

test('a list that was never stored is null', async () => {
  expect(await create().load('upstream')).toBeNull()
})

test('a directory that cannot be written is reported once and then ignored', async () => {
  const file = join(directory, 'file')
  await writeFile(file, '')
  const store = create(file)
  await store.save('one', '{}')
  await store.save('two', '{}')
  expect(await store.load('one')).toBeNull()
  expect(messages).toEqual([expect.stringContaining('cannot be stored')])
})

test('the newest copy is read in another process', async () => {
  await create().save('upstream', 'first')
  await create().save('upstream', 'second')
  expect(await create().load('upstream')).toBe('second')
})

test('parallel writers leave one complete file and nothing else', async () => {
  const store = create()
  const payloads = Array.from({ length: 20 }, (_, index) => String(index).repeat(10_000))
  await Promise.all(payloads.map(payload => store.save('upstream', payload)))
  expect(payloads).toContain(await store.load('upstream'))
  expect(await readdir(join(directory, 'catalogue'))).toEqual(['upstream.json'])
  expect(messages).toEqual([])
})

test('a key cannot lead out of the directory', async () => {
  await create().save('../../escape', '{}')
  expect(await readdir(join(directory, 'catalogue'))).toEqual(['..%2F..%2Fescape.json'])
  expect(await create().load('../../escape')).toBe('{}')
})
