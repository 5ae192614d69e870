import type { MetadataRoute } from 'next'
import { serverSettings } from '@/lib/config/server'
import messages from '@/messages/en.json'

// The name is the operator's, read when the server runs.
export const dynamic = 'force-dynamic'

export default function manifest(): MetadataRoute.Manifest {
  const { appName } = serverSettings()
  const { shell } = messages
  return {
    id: '/',
    scope: '/',
    start_url: '/',
    name: appName,
    short_name: appName,
    description: shell.siteDescription,
    lang: 'en',
    dir: 'auto',
    display: 'standalone',
    background_color: '#faf6ef',
    theme_color: '#faf6ef',
    categories: ['productivity', 'utilities'],
    icons: [
      { src: '/icon.svg', sizes: 'any', type: 'image/svg+xml' },
      { src: '/icon-192.png', sizes: '192x192', type: 'image/png' },
      { src: '/icon-512.png', sizes: '512x512', type: 'image/png' },
      { src: '/icon-maskable.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    ],
    shortcuts: [
      { name: shell.flow.pricing, url: '/pricing' },
      { name: shell.topUp, url: '/top-up' },
    ],
    // Answered by the service worker: what is shared is not sent to the server.
    share_target: {
      action: '/share',
      method: 'POST',
      enctype: 'application/x-www-form-urlencoded',
      params: { title: 'title', text: 'text', url: 'url' },
    },
  }
}
