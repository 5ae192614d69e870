import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { codeFileName } from './code-file-name'

test.each([
  ['ts', 'code.ts'],
  ['Python', 'code.py'],
  ['c++', 'code.cpp'],
  ['dockerfile', 'Dockerfile'],
  ['', 'code.txt'],
  ['some words', 'code.some'],
  ['__proto__', 'code.txt'],
  ['ts title="coins.ts"', 'coins.ts'],
  ['ts:src/coins.ts', 'coins.ts'],
  ['yaml docker-compose.yml', 'docker-compose.yml'],
  ['sh ../../.bashrc', 'bashrc'],
])('a code block with the info ```%s is saved as %s', (info, name) => {
  expect(codeFileName(info)).toBe(name)
})

test('a file name has no path and does not start with a dot, whatever the info says', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), info => {
      const name = codeFileName(info)
      expect(name).not.toMatch(/[\\/:\0]|^\.|^$/)
    }),
  )
})
