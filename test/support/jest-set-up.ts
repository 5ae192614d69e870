import { TextEncoder } from 'node:util'
import { afterEach, expect } from '@jest/globals'
import { complaints } from './complaints'
import { undocumented } from './undocumented'

// Successes are only logged for operators.
process.env.LOG_LEVEL ??= 'warn'

// Every browser has it, but jsdom does not.
Object.assign(globalThis, { TextEncoder: globalThis.TextEncoder ?? TextEncoder })

/** On a busy machine a screen appears late, but it does appear. Shorter than Jest's own bound, which names nothing. */
const APPEARANCE_TIMEOUT_MS = 20_000

if (typeof document !== 'undefined') {
  const { configure } = await import('@testing-library/react')
  configure({ asyncUtilTimeout: APPEARANCE_TIMEOUT_MS })
}

afterEach(() => {
  expect(undocumented.splice(0)).toEqual([])
  expect(complaints.splice(0)).toEqual([])
})
