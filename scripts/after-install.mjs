import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Run by `npm install`. Not in TypeScript, which the installing Node may not be able to run. */

// The Node that npm brings comes before the installing one, unless there is none for this machine.
if (!process.features.typescript) {
  console.error(
    `npm brings no Node for this machine, and Node ${process.versions.node} cannot run this: it needs 22.18 or newer.`,
  )
  process.exit(1)
}

// A third of the packages' size is source maps, and the headers for compiling Node extensions, none of which is used.
const PACKAGES = 'node_modules'
const SOURCE_MAP_PATTERN = /\.map$/
const NODE_PATTERN = /^node-/
const DELETED_AT_ONCE = 64

const names = await readdir(PACKAGES)
const sourceMaps = (await readdir(PACKAGES, { recursive: true })).filter(name =>
  SOURCE_MAP_PATTERN.test(name),
)
const headers = names.filter(name => NODE_PATTERN.test(name)).map(name => join(name, 'include'))
const unread = [...headers, ...sourceMaps]
await Promise.all(
  Array.from({ length: DELETED_AT_ONCE }, async () => {
    for (let name = unread.pop(); name; name = unread.pop()) {
      await rm(join(PACKAGES, name), { recursive: true, force: true })
    }
  }),
)
