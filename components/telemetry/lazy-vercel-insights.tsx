'use client'

import dynamic from 'next/dynamic'

/** Its code reaches the browser only on Vercel, whose servers alone answer it. */
export const LazyVercelInsights = dynamic(async () => (await import('./vercel-insights')).VercelInsights)
