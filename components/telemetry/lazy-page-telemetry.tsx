'use client'

import dynamic from 'next/dynamic'

/** Its code reaches the browser only where an operator has set up analytics. */
export const LazyPageTelemetry = dynamic(async () => (await import('./page-telemetry')).PageTelemetry)
