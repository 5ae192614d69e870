import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'

const SCRIPT = resolve('scripts/after-install.mjs')
let cwd: string

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'tuppence-installed-'))
  mkdirSync(join(cwd, 'node_modules', 'package'), { recursive: true })
  for (const name of ['index.js', 'index.js.map']) writeFileSync(packaged(name), '')
})

afterEach(() => rmSync(cwd, { recursive: true, force: true }))

const packaged = (name: string) => join(cwd, 'node_modules', 'package', name)
const run = (...options: string[]) =>
  spawnSync(process.execPath, [...options, SCRIPT], { cwd, encoding: 'utf8' })

test('an installation loses what nobody reads', () => {
  expect(run()).toMatchObject({ status: 0, stderr: '' })
  expect(['index.js', 'index.js.map'].map(packaged).map(existsSync)).toEqual([true, false])
})

test('an installation with a Node that cannot run this is told so', () => {
  const { status, stderr } = run('--no-experimental-strip-types')
  expect(status).toBe(1)
  expect(stderr).toBe(
    `npm brings no Node for this machine, and Node ${process.versions.node} cannot run this: it needs 22.18 or newer.\n`,
  )
})
