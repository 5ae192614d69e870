import { existsSync } from 'node:fs'
import type { NextConfig } from 'next'
import createNextIntlPlugin from 'next-intl/plugin'
import { bareAliases } from './lib/http/api-segments'
import { staticHeaders } from './lib/http/static-headers'
import { hintScripts } from './scripts/compile-hints'

const withNextIntl = createNextIntlPlugin({
  requestConfig: './lib/i18n/request.ts',
  experimental: { messages: { path: './messages', format: 'json', locales: 'infer', precompile: true } },
})

// Read when the configuration has been: no build tells the makers of Next.js of itself.
process.env.NEXT_TELEMETRY_DISABLED = '1'

const NEXT_CONSTANTS = { browser: './lib/http/client/next-constants.ts' }

const nextConfig: NextConfig = {
  reactStrictMode: true,
  // What a server needs of the packages, for scripts/pack.ts; Vercel finds that out in its own way.
  ...(process.env.VERCEL ? {} : { output: 'standalone' }),
  // Told by the service worker alone; sorts behind every earlier one.
  env: { BUILD_NAME: Date.now().toString(36) },
  poweredByHeader: false,
  typedRoutes: true,
  // Checked by `npm run verify`; whoever installs without what tests need, lacks their types.
  typescript: { ignoreBuildErrors: true },
  // None is served but as it is; therefore what would optimise them need not be installed.
  images: { unoptimized: true },
  // The tables of gpt-tokenizer are two megabytes of source, which took as long to compile as everything else.
  serverExternalPackages: ['pg', 'prom-client', 'gpt-tokenizer'],
  instrumentationClientInject: ['./sentry.client.config.ts'],
  headers: async () => staticHeaders(),
  rewrites: async () => bareAliases(),
  compiler: { runAfterProductionCompile: ({ distDir }) => hintScripts(distDir) },
  // Character maps of PDF documents: files with an address each, fetched when a document needs one.
  turbopack: {
    rules: { '*.bcmap': { type: 'asset' } },
    resolveAlias: {
      '../../../lib/constants': NEXT_CONSTANTS,
      '../../../../lib/constants': NEXT_CONSTANTS,
      '../build/polyfills/polyfill-module': { browser: './lib/http/client/polyfills.ts' },
      'next/dist/compiled/process': { browser: './lib/http/client/no-process.ts' },
      // React has had it since 18.
      'use-sync-external-store/shim': { browser: 'react' },
    },
  },
  experimental: {
    // To write it costs a third of a build, and most copies of this code are built once. The second build writes it.
    turbopackFileSystemCacheForBuild: Boolean(process.env.VERCEL) || existsSync('.next/BUILD_ID'),
    // Nothing reads them, and they were four times as large as what they describe.
    serverSourceMaps: false,
    // Next keeps what is posted to a page for its middleware, which does not read it: 10 MB of each by default, and
    // anybody can post.
    proxyClientMaxBodySize: 16 * 1024,
    // app/global-not-found.tsx: the one that is drawn on the server, below a root that knows its language.
    globalNotFound: true,
    // Fewer, larger chunks than by default: they compress better, and a first visit asks for fewer of them.
    // React and the router, which every page runs, are one; in three they took 4 kB more.
    turbopackChunking: { minChunkSize: 700_000, maxMergeChunkSize: 1_000_000 },
  },
}

export default withNextIntl(nextConfig)
