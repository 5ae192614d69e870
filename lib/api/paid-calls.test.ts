import { readFileSync } from 'node:fs'
import { matchesGlob } from 'node:path'
import { expect, test } from '@jest/globals'
import { MOUNTED_SEGMENTS } from '@/lib/http/api-segments'
import { paidCallRoutes } from './paid-calls'

const FUNCTIONS: Record<string, { supportsCancellation?: boolean }> = JSON.parse(
  readFileSync('vercel.json', 'utf8'),
).functions

test('on Vercel the functions of paid calls, and no others, are told when their caller leaves', () => {
  const told = MOUNTED_SEGMENTS.filter(segment =>
    Object.entries(FUNCTIONS).some(
      ([pattern, { supportsCancellation }]) =>
        supportsCancellation && matchesGlob(`app/(api)/${segment}/[[...path]]/route.ts`, pattern),
    ),
  )
  const paid = new Set(paidCallRoutes.map(({ contract }) => contract.path.split('/')[1] ?? ''))
  // OpenRouter's base path, /api/v1, has all routes of /v1.
  expect(new Set(told)).toEqual(new Set([...paid, 'api']))
})
