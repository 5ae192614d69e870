import { readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { expect, test } from '@jest/globals'
import { SOURCES } from './build-if-needed'

test.each(['next.config.ts', 'scripts/build-if-needed.ts'])(
  'a change in an import of %s leads to a build',
  file => {
    const imports = [...readFileSync(file, 'utf8').matchAll(/from '(\.\.?\/[^']+?)(?:\.ts)?'/g)]
    const paths = imports.map(([, path = '']) => normalize(join(file, '..', `${path}.ts`)))
    // It only runs commands, whatever they are.
    const makers = paths.filter(path => path !== 'scripts/run-step.ts')
    expect(makers).not.toEqual([])
    expect(makers.filter(path => !SOURCES.some(source => `${path}/`.startsWith(`${source}/`)))).toEqual([])
  },
)
