'use client'

import dynamic from 'next/dynamic'

/** Its code reaches the browser only where an operator has set up a support widget. */
export const LazySupportButton = dynamic(async () => (await import('./support-button')).SupportButton)
