import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'

const versions = z.record(z.string(), z.string()).default({})
const manifest = z
  .object({ dependencies: versions, devDependencies: versions, optionalDependencies: versions })
  .parse(readJson('package.json'))
const locked = z
  .object({
    lockfileVersion: z.number(),
    packages: z.record(
      z.string(),
      z.object({
        version: z.string().optional(),
        resolved: z.string().optional(),
        integrity: z.string().optional(),
        inBundle: z.boolean().optional(),
        dependencies: versions,
        devDependencies: versions,
        optionalDependencies: versions,
      }),
    ),
  })
  .parse(readJson('package-lock.json'))

const GROUPS = ['dependencies', 'devDependencies', 'optionalDependencies'] as const
const direct = GROUPS.flatMap(group => Object.entries(manifest[group]))
const installed = Object.entries(locked.packages).filter(([path]) => path !== '')

/**
 * Below these versions, a package has a vulnerability that this product would inherit. Raise a floor when an advisory
 * names a fixed version; never lower one.
 */
const SAFE_VERSION_FLOORS: Record<string, { floor: string; reason: string }> = {
  next: {
    floor: '16.4.0',
    reason: 'middleware bypass by x-middleware-subrequest (CVE-2025-29927), GHSA-267c-6grr-h53f and its kin',
  },
  react: { floor: '19.3.0', reason: 'the line that Next 16.4 is tested with' },
  'react-dom': { floor: '19.3.0', reason: 'the same as react' },
  'next-intl': { floor: '4.14.0', reason: 'decides redirects from the path, as the middleware does' },
  '@supabase/ssr': { floor: '0.12.0', reason: 'writes the session cookies' },
  '@supabase/supabase-js': { floor: '2.119.0', reason: 'holds the session' },
}

describe('the supply chain', () => {
  test.each(direct)('%s is pinned to one version', (_name, version) => {
    expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/)
  })

  test('the lockfile matches package.json', () => {
    const root = locked.packages['']
    for (const group of GROUPS) expect(root?.[group]).toEqual(manifest[group])
    for (const [name, version] of direct) {
      expect([name, locked.packages[`node_modules/${name}`]?.version]).toEqual([name, version])
    }
  })

  /** npm omits them where it finds packages installed already, and adds them with the next install elsewhere. */
  test('the packages of other platforms are locked too, so that an install changes nothing', () => {
    const names = new Set(installed.map(([path]) => path.replace(/^.*node_modules\//, '')))
    const wanted = installed.flatMap(([, { optionalDependencies }]) => Object.keys(optionalDependencies))
    expect(wanted.filter(name => !names.has(name))).toEqual([])
  })

  test('every package comes from the registry, with an integrity hash', () => {
    const strange = installed.filter(([, { inBundle, resolved, integrity }]) => {
      if (inBundle) return false
      // The address is omitted for the registry's own packages; a package from git, a path or a URL has one.
      return resolved !== undefined || !integrity?.startsWith('sha512-')
    })
    expect(strange.map(([path]) => path)).toEqual([])
  })
})

describe('the lowest safe versions', () => {
  test.each(Object.entries(SAFE_VERSION_FLOORS))(
    'every copy of %s has at least the fixed version',
    (name, { floor }) => {
      const copies = installed.filter(([path]) => path.endsWith(`node_modules/${name}`))
      expect(copies.length).toBeGreaterThan(0)
      for (const [path, { version }] of copies)
        expect([path, isAtLeast(version ?? '', floor)]).toEqual([path, true])
    },
  )

  test.each([
    ['16.4.0', '16.4.0', true],
    ['16.4.6', '16.4.0', true],
    ['17.0.0', '16.4.0', true],
    ['16.10.0', '16.4.0', true],
    ['16.3.9', '16.4.0', false],
    ['15.99.99', '16.4.0', false],
    ['16.4.0-canary.1', '16.4.0', false],
    ['', '16.4.0', false],
  ])('%s against %s: %s', (version, floor, expected) => {
    expect(isAtLeast(version, floor)).toBe(expected)
  })
})

/** Whether a version is the floor or later; a pre-release of the floor is not. */
function isAtLeast(version: string, floor: string): boolean {
  const [core = '', preRelease] = version.split(/-(.*)/s)
  const parts = core.split('.').map(Number)
  const floorParts = floor.split('.').map(Number)
  if (parts.length !== 3 || parts.some(part => !Number.isInteger(part))) return false
  for (const [index, part] of floorParts.entries()) {
    const difference = (parts[index] ?? 0) - part
    if (difference !== 0) return difference > 0
  }
  return preRelease === undefined
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}
