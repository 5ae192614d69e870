import type { MetadataRoute } from 'next'
import { serverSettings } from '@/lib/config/server'

// The name is the operator's, read when the server runs.
export const dynamic = 'force-dynamic'

export default function manifest(): MetadataRoute.Manifest {
  const { appName } = serverSettings()
  return {
    name: appName,
    short_name: appName,
    start_url: '/',
    display: 'standalone',
    background_color: '#faf6ef',
    theme_color: '#faf6ef',
    icons: [{ src: '/icon.svg', sizes: 'any', type: 'image/svg+xml' }],
  }
}
