import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from '@jest/globals'
import * as all from 'next/dist/lib/constants'
import nextConfig from '@/next.config'
import * as ours from './next-constants'

const NEXT = 'node_modules/next/dist'
const REQUIRE = /const (\w+) = require\("((?:\.\.\/)+lib\/constants)"\)/

/** The constants that Next’s browser code reads, and the names it imports them by. */
function readByNext(): { names: Set<string>; requests: Set<string> } {
  const names = new Set<string>()
  const requests = new Set<string>()
  for (const folder of ['client', 'shared']) {
    for (const path of readdirSync(join(NEXT, folder), { recursive: true, encoding: 'utf8' })) {
      if (!path.endsWith('.js')) continue
      const text = readFileSync(join(NEXT, folder, path), 'utf8')
      const [, variable, request = ''] = REQUIRE.exec(text) ?? []
      if (join(dirname(join(NEXT, folder, path)), request) !== join(NEXT, 'lib/constants')) continue
      requests.add(request)
      for (const [, name = ''] of text.matchAll(new RegExp(`\\b${variable}\\.(\\w+)`, 'g'))) names.add(name)
    }
  }
  return { names, requests }
}

test("the replacement module exports every constant that Next's browser code reads, under each of its names", () => {
  const { names, requests } = readByNext()
  expect(names.size).toBeGreaterThan(0)
  expect({ ...ours }).toEqual(Object.fromEntries(Array.from(names, name => [name, Reflect.get(all, name)])))
  const aliases = nextConfig.turbopack?.resolveAlias ?? {}
  expect(Object.keys(aliases)).toEqual(expect.arrayContaining([...requests]))
})
