import { TextEncoder } from 'node:util'
import { afterEach, expect } from '@jest/globals'
import { complaints } from './complaints'
import { undocumented } from './undocumented'

// What goes well is told to operators only.
process.env.LOG_LEVEL ??= 'warn'

// Every browser has it; jsdom does not.
Object.assign(globalThis, { TextEncoder: globalThis.TextEncoder ?? TextEncoder })

/** As long as Jest's own bound allows: a busy machine shows a screen late, not never. */
const APPEARANCE_TIMEOUT_MS = 20_000

if (typeof document !== 'undefined') {
  const { configure } = await import('@testing-library/react')
  configure({ asyncUtilTimeout: APPEARANCE_TIMEOUT_MS })
}

afterEach(() => {
  expect(undocumented.splice(0)).toEqual([])
  expect(complaints.splice(0)).toEqual([])
})
