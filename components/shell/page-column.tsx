import type { ReactNode } from 'react'
import styles from './page.module.css'

export interface PageColumnProps {
  title: string
  lead?: ReactNode
  /** Wide: as far to the right as the window goes. */
  width?: 'column' | 'wide'
  children: ReactNode
}

/** Heading, one sentence and room. */
export function PageColumn({ title, lead, width = 'column', children }: PageColumnProps) {
  return (
    <div className={width === 'wide' ? `${styles.page} ${styles.wide}` : styles.page}>
      <header className={styles.head}>
        <h1 tabIndex={-1} className={styles.title}>
          {title}
        </h1>
        {lead && <p className={styles.lead}>{lead}</p>}
      </header>
      {children}
    </div>
  )
}
