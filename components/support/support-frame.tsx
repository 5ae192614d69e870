'use client'

import { frameSandbox } from './frame-sandbox'
import styles from './support.module.css'

interface SupportFrameProps {
  address: string
  title: string
}

/**
 * The widget in a frame of its own origin: it sees neither our page nor the browser's data of ours, and
 * is not told which page it was opened on.
 */
export function SupportFrame({ address, title }: SupportFrameProps) {
  return (
    <iframe
      className={styles.frame}
      src={address}
      title={title}
      sandbox={frameSandbox(address, window.location.origin)}
      referrerPolicy="no-referrer"
      allow=""
    />
  )
}
