import type { NextConfig } from 'next'
import createNextIntlPlugin from 'next-intl/plugin'
import { staticHeaders } from './lib/http/static-headers'

const withNextIntl = createNextIntlPlugin({
  requestConfig: './lib/i18n/request.ts',
  experimental: { messages: { path: './messages', format: 'json', locales: 'infer', precompile: true } },
})

const nextConfig: NextConfig = {
  reactStrictMode: true,
  poweredByHeader: false,
  typedRoutes: true,
  serverExternalPackages: ['@electric-sql/pglite', 'pg'],
  instrumentationClientInject: ['./sentry.client.config.ts'],
  headers: async () => staticHeaders(),
}

export default withNextIntl(nextConfig)
