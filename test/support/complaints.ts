import { format } from 'node:util'

/** What the console was told that no test expected: React's doubts, a library's warnings, the page's own lines. */
export const complaints: string[] = []

for (const name of ['error', 'warn'] as const) {
  console[name] = (...values) => void complaints.push(format(...values))
}
