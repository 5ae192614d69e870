import { format } from 'node:util'

/** Unexpected console output: React's warnings, a library's, the page's own lines. */
export const complaints: string[] = []

for (const name of ['error', 'warn'] as const) {
  console[name] = (...values) => void complaints.push(format(...values))
}
